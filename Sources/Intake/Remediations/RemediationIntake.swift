// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Foundation
package import Metrics
package import Storage
import Support
import Synchronization

/// Counts of calls that matched a list, from an installation, not yet checked.
package struct RemediationSubmission: Sendable, Equatable {
  package struct Row: Sendable, Equatable {
    /// The values of classes by name.
    package var classes: [String: String]
    /// By name; a missing one is 0.
    package var counts: [String: Int]

    package init(classes: [String: String], counts: [String: Int]) {
      (self.classes, self.counts) = (classes, counts)
    }
  }

  /// A day in UTC, `2026-11-21`.
  package var day: String
  package var rows: [Row]

  package init(day: String, rows: [Row]) { (self.day, self.rows) = (day, rows) }

  /// The members of a row besides classes.
  package static let counts = ["matched", "blocked", "labeled", "overridden"]
  /// The classes that every row has.
  private static let needed: [RemediationClass] = [.pack, .treatment]

  /// - Parameter names: the names of packs and sources.
  /// - Throws: ``InvalidSubmission`` with every field that breaks a rule, such as `counts/3/pack`.
  func check(
    names: [RemediationClass: Set<String>], at now: Date
  ) throws(InvalidSubmission) -> (day: Int32, rows: [RemediationRow]) {
    var problems: [FieldProblem] = []
    let today = ComplaintDays.day(of: now)
    let number = IdentificationSubmission.Item.dayNumber(day)
    switch number {
    case nil:
      problems.append(FieldProblem(field: "day", code: "not_a_day", detail: "Send a day in UTC, such as 2026-11-21."))
    case let number? where number > today + RemediationLimits.leewayInDays:
      problems.append(
        FieldProblem(field: "day", code: "in_the_future", detail: "The day is in the future in every time zone."))
    case let number? where number < today - RemediationLimits.maxAgeInDays:
      problems.append(
        FieldProblem(
          field: "day", code: "too_old",
          detail: "The day is more than \(RemediationLimits.maxAgeInDays) days ago. Discard its counts."))
    default: break
    }
    if !(1...RemediationLimits.rows).contains(rows.count) {
      problems.append(
        FieldProblem(
          field: "counts", code: "length",
          detail: "\(rows.count) rows. Send 1 to \(RemediationLimits.rows) rows for a day."))
      throw InvalidSubmission(problems: problems)
    }
    let checked = rows.enumerated().map { index, row in
      let found = Self.check(row, names)
      problems += found.problems.map { $0.nested(in: "counts/\(index)") }
      return RemediationRow(found.classes, found.tally)
    }
    // Single counts are within their limits then.
    if problems.isEmpty {
      for (name, sum) in [
        ("matched", checked.reduce(0) { $0 + $1.tally.matched }),
        ("overridden", checked.reduce(0) { $0 + $1.tally.overridden }),
      ] where sum > RemediationLimits.calls {
        problems.append(
          FieldProblem(
            field: "counts", code: "too_many_calls",
            detail: "\(name) is \(sum) in all rows. Count at most \(RemediationLimits.calls) calls of an installation "
              + "and day, and ignore further ones."))
      }
    }
    guard let number, problems.isEmpty else { throw InvalidSubmission(problems: problems) }
    return (number, checked)
  }

  private static func check(
    _ row: Row, _ names: [RemediationClass: Set<String>]
  ) -> (classes: [RemediationClass: String], tally: RemediationTally, problems: [FieldProblem]) {
    var problems: [FieldProblem] = []
    var classes: [RemediationClass: String] = [:]
    for kind in RemediationClass.allCases {
      guard let value = row.classes[kind.rawValue] else {
        if needed.contains(kind) {
          problems.append(FieldProblem(field: kind.rawValue, code: "missing", detail: "This field is required."))
        }
        continue
      }
      if let values = kind.values, !values.contains(value) {
        problems.append(
          FieldProblem(
            field: kind.rawValue, code: "not_allowed",
            detail: VisibleText.refusal(of: value, allowing: values)))
      } else if kind.values == nil, !(names[kind]?.contains(value) ?? false) {
        problems.append(
          FieldProblem(
            field: kind.rawValue, code: "unknown_name",
            detail: "\"\(VisibleText.beginning(of: value))\" is no name of a \(kind.rawValue). Send the name that "
              + (kind == .pack ? "the manifest" : "the operator") + " uses."))
      }
      classes[kind] = value
    }
    if classes[.source] != nil, classes[.origin] != "source" {
      problems.append(
        FieldProblem(field: "source", code: "not_allowed", detail: "Send a source only with the origin source."))
    }
    // Without its name, the figures of single sources would be too low.
    if classes[.source] == nil, classes[.origin] == "source" {
      problems.append(
        FieldProblem(field: "source", code: "missing", detail: "Send the name of the source, or leave out the origin."))
    }
    let counts = Self.counts.map { row.counts[$0] ?? 0 }
    for (name, count) in zip(Self.counts, counts) where !(0...RemediationLimits.calls).contains(count) {
      problems.append(
        FieldProblem(
          field: name, code: "out_of_range",
          detail:
            "\(count) is not 0 to \(RemediationLimits.calls). Count at most \(RemediationLimits.calls) calls of an "
            + "installation and day, and ignore further ones."))
    }
    if problems.isEmpty {
      if counts[1] + counts[2] > counts[0] {
        problems.append(
          FieldProblem(
            field: "matched", code: "out_of_range",
            detail: "\(counts[0]) is less than blocked and labeled, \(counts[1] + counts[2]). Count each call under "
              + "matched, too."))
      } else if counts[0] + counts[3] == 0 {
        problems.append(
          FieldProblem(field: "matched", code: "out_of_range", detail: "The row counts nothing. Leave it out."))
      }
    }
    let tally = RemediationTally(
      matched: Int64(counts[0]), blocked: Int64(counts[1]), labeled: Int64(counts[2]), overridden: Int64(counts[3]))
    return (classes, tally, problems)
  }
}

/// Accepts counts of calls that matched a list, and answers when they are on disk.
package struct RemediationIntake: Sendable {
  private struct Names {
    var readAt = Date.distantPast
    var names: [RemediationClass: Set<String>] = [:]
  }

  /// A new pack or source is known this many seconds later at most.
  private static let lifetime = 10.0

  private let store: RemediationStore
  private let pseudonymizer: Pseudonymizer
  private let commits: GroupCommit<RemediationBatch, Bool>
  private let known: Shared<Names>
  /// Counts of the server itself.
  package let counter: RemediationCounter

  package init(
    store: RemediationStore, pseudonymizer: Pseudonymizer, patience: Duration = .seconds(5),
    stallLimit: Duration = .seconds(10), metrics factory: any MetricsFactory = NOOPMetricsHandler.instance
  ) {
    (self.store, self.pseudonymizer, known) = (store, pseudonymizer, Shared(Names()))
    counter = RemediationCounter(store: store, pseudonymizer: pseudonymizer)
    let metrics = IntakeMetrics(factory, kind: "remediations")
    commits = GroupCommit(
      capacity: 4_096, batchSize: 256, patience: patience, stallLimit: stallLimit,
      isolates: { StoreFailure($0) == .perhapsOneItem }, stalled: { _ in metrics.noteStall() },
      commit: { batches in try await metrics.measuring(batches.count) { try await store.accept(batches) } })
  }

  /// Checks a submission, counts it, and answers when it is committed.
  /// - Parameter installation: the app's name for the installation; it is stored as a hash with the day.
  /// - Returns: whether it is the first of the installation and day; later ones change nothing.
  /// - Throws: ``InvalidSubmission``; ``IntakeError``, with nothing accepted; or the database's error.
  package func take(_ submission: RemediationSubmission, of installation: String, from app: App) async throws -> Bool {
    let now = Date()
    let checked = try submission.check(names: try await names(at: now), at: now)
    let batch = RemediationBatch(
      day: checked.day, sender: .apps,
      mark: pseudonymizer.pseudonym(of: "remediations \(checked.day) \(installation)", appID: app.id),
      rows: checked.rows)
    return try await commits.submit([batch])[0]
  }

  private func names(at now: Date) async throws -> [RemediationClass: Set<String>] {
    let present = known.value.withLock { $0 }
    guard now.timeIntervalSince(present.readAt) > Self.lifetime || now < present.readAt else { return present.names }
    let names = try await store.knownNames()
    known.value.withLock { $0 = Names(readAt: now, names: names) }
    return names
  }

  /// Commits until ``close()``; run it in one task for the lifetime of the server.
  package func run() async {
    async let counting: Void = counter.commits.run()
    await commits.run()
    await counting
  }

  /// Refuses new submissions; accepted ones are committed and answered, and then ``run()`` returns.
  package func close() {
    commits.close()
    counter.commits.close()
  }
}

/// A lock that copies of a value share.
private final class Shared<Value: Sendable>: Sendable {
  let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
}

/// Calls that the server itself counts, on disk before it answers. No number is kept.
package final class RemediationCounter: Sendable {
  private struct State {
    /// The calls of telephone systems by app on a day: one key cannot move a sum without end.
    var ofApps: (day: Int32, calls: [Int32: Int]) = (0, [:])
    /// Batches whose commit failed: sent again as they are, because it may have succeeded.
    var unsure: [RemediationBatch] = []
    /// Calls beyond ``mostUnsure``.
    var lost = 0
  }

  /// The most calls whose commit failed that are kept.
  static let mostUnsure = 20_000
  /// The most calls of an app's telephone systems that a server counts in a day.
  static let callsOfAppADay = 20_000

  private let store: RemediationStore
  private let pseudonymizer: Pseudonymizer
  private let state = Mutex(State())
  fileprivate let commits: GroupCommit<RemediationBatch, Bool>

  fileprivate init(store: RemediationStore, pseudonymizer: Pseudonymizer) {
    (self.store, self.pseudonymizer) = (store, pseudonymizer)
    // A call is not kept waiting for its count.
    commits = GroupCommit(
      capacity: 1_024, batchSize: 256, patience: .milliseconds(500), stallLimit: .seconds(1),
      cutLimit: .seconds(10), isolates: { StoreFailure($0) == .perhapsOneItem }, commit: { try await store.accept($0) })
  }

  /// Counts a call. When it returns, the count is on disk, or could not be stored within a second and is tried again by
  /// ``flush()``.
  /// - Parameters:
  ///   - person: the app's name for its user; nil where the sender is no person.
  package func note(
    _ sender: RemediationSender, isBlocked: Bool, classes: [RemediationClass: String] = [:], person: String? = nil,
    of app: App?, at now: Date
  ) async {
    let day = ComplaintDays.day(of: now)
    if sender == .telephoneSystems {
      let hasRoom = state.withLock { state in
        if state.ofApps.day != day { state.ofApps = (day, [:]) }
        state.ofApps.calls[app?.id ?? 0, default: 0] += 1
        return state.ofApps.calls[app?.id ?? 0, default: 0] <= Self.callsOfAppADay
      }
      guard hasRoom else { return }
    }
    let name = person.map { pseudonymizer.pseudonym(of: "remediations \(day) \($0)", appID: app?.id ?? 0) }
    let tally = RemediationTally(matched: 1, blocked: isBlocked ? 1 : 0, labeled: isBlocked ? 0 : 1)
    let batch = RemediationBatch(
      day: day, sender: sender, mark: (0..<16).map { _ in .random(in: 0...255) }, people: name.map { [$0] } ?? [],
      rows: [RemediationRow(classes, tally)])
    do { _ = try await commits.submit([batch]) } catch {
      state.withLock { state in
        if state.unsure.count < Self.mostUnsure { state.unsure.append(batch) } else { state.lost += 1 }
      }
    }
  }

  /// Stores what failed since the last call. After an error it is kept, and counted once.
  /// - Returns: how many calls were lost, because too many had failed.
  /// - Throws: the database's error.
  package func flush() async throws -> Int {
    while true {
      let batches = state.withLock { Array($0.unsure.prefix(256)) }
      guard !batches.isEmpty else { break }
      _ = try await store.accept(batches)
      state.withLock { $0.unsure.removeFirst(batches.count) }
    }
    return state.withLock { state in
      defer { state.lost = 0 }
      return state.lost
    }
  }
}
