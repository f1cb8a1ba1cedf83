// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Foundation
package import Storage

/// Adds, approves and removes rules for ranges.
///
/// A rule is in force at once, unless it and the other rules of the same action block more than
/// ``Curation/RangeRule/maxUnreviewed`` numbers: then all of them wait until another account approves them.
package struct RangeService: Sendable {
  private let ranges: RangeStore
  private let protection: ProtectionStore

  package init(stores: Stores) {
    (ranges, protection) = (stores.ranges, stores.protection)
  }

  /// The effect of rules before they are saved.
  package struct Effect: Sendable, Equatable {
    /// The counts of all numbers of the rules.
    package var counts = RangeCounts()
    /// The numbers that the rules would list: without protected, decided, held and named ones.
    package var lists: Int64 = 0
    package var needsApproval = false
  }

  package func preview(_ rules: [RangeRule]) async throws -> Effect {
    let protected = try await protection.load()
    var effect = Effect()
    for rule in rules {
      let counts = try await ranges.counts(of: rule.range, protected: protected)
      effect.counts.add(counts)
      guard rule.treatment != .allow else { continue }
      effect.lists += max(
        0, counts.numbers - counts.protected - counts.allowed - counts.decided - counts.held - counts.named)
    }
    effect.needsApproval = RangeRule.needsApproval(rules)
    return effect
  }

  /// Saves rules; one of the same range and source is replaced.
  /// - Returns: the saved rules, proposed or approved.
  /// - Throws: `StorageError.tooManyRanges`; `RuleViolation` with the code `range_in_force`; `PostgresError`.
  package func add(
    _ rules: [RangeRule], by actor: Actor, at time: Date
  ) async throws -> [RangeRule] {
    let account = actor.name
    // Of the same range the last one counts.
    let rules = Dictionary(rules.map { ($0.range.text, $0) }) { $1 }.values.sorted {
      ($0.range.first, $0.range.text) < ($1.range.first, $1.range.text)
    }
    // Not in small steps: what the account has decided itself within a day counts too.
    let present = try await ranges.rules()
    let recent = present.filter {
      $0.proposedBy == account && $0.decidedBy == account
        && $0.decidedAt.map { time.timeIntervalSince($0) < 86_400 } == true
    }
    let texts = Set(rules.map(\.range.text))
    let isApproved = !RangeRule.needsApproval(rules + recent.filter { !texts.contains($0.range.text) })
    guard
      isApproved
        || !present.contains(where: {
          $0.appID == RangeRule.noSource && $0.state == .approved && texts.contains($0.range.text)
        })
    else { throw RuleViolation(.rangeInForce, field: "range") }
    let saved = rules.map { rule in
      var rule = rule
      if isApproved { (rule.state, rule.decidedBy, rule.decidedAt) = (.approved, account, time) }
      return rule
    }
    try await ranges.save(
      saved,
      audit: actor.did(
        isApproved ? .rangeAdd : .rangePropose, to: Self.subject(saved), after: ["ranges": Self.list(saved)],
        because: saved.first?.reason), at: time)
    return saved
  }

  /// Approves or rejects rules; either can be changed later.
  /// - Parameters:
  ///   - rules: as they were read.
  ///   - actor: not the account that proposed them.
  ///   - reason: the reason for the audit log; it becomes the public reason of a detected rule.
  /// - Throws: `RuleViolation`, including the codes `own_proposal` and `range_changed`; `PostgresError`.
  package func decide(
    _ rules: [RangeRule], isApproved: Bool, by actor: Actor, reason: String?,
    at time: Date
  ) async throws {
    // The account and the reason follow the rules of a decision.
    let decision = try Decision(number: 1, treatment: .allow, reason: reason, decidedBy: actor.name, decidedAt: time)
    if isApproved, rules.contains(where: { $0.state != .approved && $0.proposedBy == decision.decidedBy }) {
      throw RuleViolation(.ownProposal, field: "by")
    }
    try await ranges.decide(
      rules, isApproved: isApproved, because: decision.reason, by: decision.decidedBy,
      audit: actor.did(
        isApproved ? .rangeApprove : .rangeReject, to: Self.subject(rules), after: ["ranges": Self.list(rules)],
        because: decision.reason), at: time)
  }

  /// The numbers of the rules leave with the next publication.
  /// - Returns: how many rules there were.
  package func remove(
    _ rules: [RangeRule], by actor: Actor, reason: String?, at time: Date
  ) async throws -> Int {
    try await ranges.remove(
      rules,
      audit: actor.did(
        .rangeRemove, to: Self.subject(rules), before: ["ranges": Self.list(rules)], because: reason), at: time)
  }

  private static func subject(_ rules: [RangeRule]) -> String {
    rules.count == 1 ? rules[0].range.text : "\(rules.count) ranges"
  }

  /// The first ranges: an event has few of thousands.
  private static func list(_ rules: [RangeRule]) -> String { rules.prefix(20).map(\.range.text).joined(separator: " ") }
}
