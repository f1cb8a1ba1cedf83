// SPDX-License-Identifier: Apache-2.0

import Crypto
package import Curation
package import Foundation
package import Storage

extension Bulk {
  /// Checks the rule for allowing numbers.
  /// - Throws: `RuleViolation` for the first number that the bulk may not allow.
  package func check(_ items: [BulkItem]) throws(RuleViolation) {
    for item in items where item.isOpen(to: self) {
      let values = values(of: item.number)
      guard values.treatment == .allow else { continue }
      try item.allowRule.check(reason: values.reason, role: worker.role)
    }
  }

  /// The numbers that the bulk would block and that `BlockRule` guards.
  package func guarded(_ items: [BulkItem]) -> [Int64] {
    items.filter {
      values(of: $0.number).treatment == .block && $0.isOpen(to: self) && $0.blockRule.isGuarded
    }.map(\.number)
  }

  /// The decision for one number. Its id is derived from the bulk's id and the number, so that a retry makes the same
  /// decisions.
  /// - Throws: `RuleViolation`.
  package func decision(of number: Int64) throws -> Decision {
    let values = values(of: number)
    return try Decision(
      id: Self.id(bulk: id, number: number), number: number, treatment: values.treatment, label: values.label,
      category: values.category, reason: values.reason, note: values.note, decidedBy: worker.name,
      decidedAt: decidedAt, expiresAt: values.expiresAt)
  }

  /// A name-based UUID: the first 16 bytes of SHA-256 over both.
  static func id(bulk: UUID, number: Int64) -> UUID {
    let digest = SHA256.hash(data: Data("\(bulk.uuidString.lowercased()) \(number)".utf8))
    let b = Array(digest)
    return UUID(
      uuid: (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]))
  }
}

extension BulkItem {
  package var allowRule: AllowRule {
    AllowRule(isHeld: isHeld, isListed: isPublished, isAppealed: isAppealed, reporters: reporters)
  }

  /// Whether the worker may not decide it: its case has a higher level, or somebody else has claimed it.
  package func isWithheld(from worker: Actor, at time: Date) -> Bool {
    CaseAccess(level: level, claim: claim, for: worker, at: time) != .open
  }

  /// Why a bulk leaves a number out.
  package enum Omission: Sendable {
    /// The worker may not decide it; see ``BulkItem/isWithheld(from:at:)``.
    case withheld
    case appealed
    /// It is protected, or exists in no numbering plan.
    case protected
    /// Its case asks about a range.
    case range
    /// A decision about it is in force, and the bulk replaces none.
    case decided
  }

  /// Nil where the bulk applies to it.
  package func omission(for worker: Actor, replacing replacesDecisions: Bool, at time: Date) -> Omission? {
    if isWithheld(from: worker, at: time) { return .withheld }
    if isAppealed { return .appealed }
    if isRangeCase { return .range }
    if protection != nil { return .protected }
    return standing == nil || replacesDecisions ? nil : .decided
  }

  package func isOpen(to bulk: Bulk) -> Bool {
    omission(for: bulk.worker, replacing: bulk.replacesDecisions, at: bulk.decidedAt) == nil
  }
}

extension BulkRun {
  /// Whether a decision about the number was made or undone since the bulk started, even if the same one is in force.
  func isOvertaken(at item: BulkItem) -> Bool {
    let place = chosenNumbers.firstPlace(atLeast: item.number)
    guard place < chosenNumbers.count, chosenNumbers[place] == item.number else { return true }
    return item.decisionCount != Int(decisionCounts[place])
  }
}
