// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
public import Foundation
public import Metrics
import PhoneNumbers
public import Storage
import Support

/// Counts of calls from an app, not yet checked.
public struct IdentificationSubmission: Sendable, Equatable {
  /// The calls of one number on one day.
  public struct Item: Sendable, Equatable {
    /// As typed; national forms need `region`.
    public var number: String
    /// ISO 3166-1 alpha-2.
    public var region: String?
    /// Calls that a phone could name, 0 to 1,000,000.
    public var named: Int
    /// Calls that it could not, 0 to 1,000,000.
    public var unknown: Int
    /// A day in UTC, `2026-11-21`.
    public var day: String

    package init(number: String, region: String? = nil, named: Int, unknown: Int, day: String) {
      self.number = number
      self.region = region
      self.named = named
      self.unknown = unknown
      self.day = day
    }
  }

  /// A UUID that every retry repeats.
  public var batchID: String
  /// The items, 1 to ``maxItems``; items of one number and day are added up.
  public var items: [Item]

  package init(batchID: String, items: [Item]) {
    self.batchID = batchID
    self.items = items
  }
}

extension IdentificationSubmission {
  package static let maxItems = 1_000

  /// The most calls of one kind in an item.
  public static let maxCalls = 1_000_000

  public static let maxAgeInDays = 30

  /// How many days a phone's calendar may be ahead.
  public static let leewayInDays = 1

  /// - Throws: ``InvalidSubmission`` with every field that breaks a rule, such as `items/3/number`.
  public func batch(appID: Int32, at now: Date) throws(InvalidSubmission) -> IdentificationBatch {
    var problems: [FieldProblem] = []
    let id = UUID(uuidString: batchID)
    if id == nil {
      problems.append(
        FieldProblem(field: "batch_id", code: "not_a_uuid", detail: "Send a UUID. Use the same UUID for retries."))
    }
    if !(1...Self.maxItems).contains(items.count) {
      problems.append(FieldProblem(field: "items", code: "length", detail: "Send 1 to \(Self.maxItems) items."))
      throw InvalidSubmission(problems: problems)
    }
    let today = ComplaintDays.day(of: now)
    var checked: [IdentificationBatch.Item] = []
    checked.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      let found = item.problems(today: today)
      problems += found.problems.map { $0.nested(in: "items/\(index)") }
      if let item = found.item { checked.append(item) }
    }
    guard let id, problems.isEmpty else { throw InvalidSubmission(problems: problems) }
    checked.sort { ($0.number, $0.day) < ($1.number, $1.day) }
    return IdentificationBatch(appID: appID, batchID: id, contentHash: Self.hash(checked), items: checked)
  }

  /// SHA-256 over the items in ascending order of number and day: the order in which they were sent does not matter.
  private static func hash(_ items: [IdentificationBatch.Item]) -> [UInt8] {
    var hash = SHA256()
    for item in items.sorted(by: {
      ($0.number, $0.day, $0.named, $0.unknown) < ($1.number, $1.day, $1.named, $1.unknown)
    }) {
      for value in [item.number, Int64(item.day), item.named, item.unknown] {
        withUnsafeBytes(of: value.littleEndian) { hash.update(bufferPointer: $0) }
      }
    }
    return Array(hash.finalize())
  }
}

extension IdentificationSubmission.Item {
  fileprivate func problems(today: Int32) -> (item: IdentificationBatch.Item?, problems: [FieldProblem]) {
    var problems: [FieldProblem] = []
    var digits: Int64?
    do throws(PhoneNumberError) {
      digits = try PhoneNumber(parsing: number, region: region).digits
    } catch {
      problems.append(FieldProblem(error))
    }
    let calls = 0...IdentificationSubmission.maxCalls
    for (field, count) in [("named", named), ("unknown", unknown)] where !calls.contains(count) {
      problems.append(FieldProblem(field: field, code: "out_of_range", detail: "The count must be 0 to 1,000,000."))
    }
    let day = Self.dayNumber(day)
    switch day {
    case nil:
      problems.append(FieldProblem(field: "day", code: "not_a_day", detail: "Send a day in UTC, such as 2026-11-21."))
    case let day? where day > today + Int32(IdentificationSubmission.leewayInDays):
      problems.append(
        FieldProblem(field: "day", code: "in_the_future", detail: "The day is in the future in every time zone."))
    case let day? where day < today - Int32(IdentificationSubmission.maxAgeInDays):
      problems.append(FieldProblem(field: "day", code: "too_old", detail: "The day is more than 30 days ago."))
    default: break
    }
    guard let digits, let day, problems.isEmpty else { return (nil, problems) }
    return (.init(number: digits, day: day, named: Int64(named), unknown: Int64(unknown)), [])
  }

  static func dayNumber(_ text: String) -> Int32? {
    guard text.utf8.count == 10, let midnight = Timestamp.read(text.utf8) else { return nil }
    return Int32(midnight.timeIntervalSince1970 / 86_400)
  }
}

/// Accepts counts of identified and unknown calls from apps, and answers when they are on disk.
public struct IdentificationIntake: Sendable {
  private let commits: GroupCommit<IdentificationBatch, IdentificationOutcome>

  /// - Parameters:
  /// - capacity: the most submissions waiting for a commit; at 32 KB for each of 1,000 items the default takes 8 MB
  /// at most.
  /// - batchSize: the most submissions in one transaction.
  /// - patience: the longest expected wait; see ``GroupCommit``.
  /// - stallLimit: how long a transaction may take; see ``GroupCommit``.
  public init(
    store: IdentificationStore, capacity: Int = 256, batchSize: Int = 16,
    patience: Duration = .seconds(5), stallLimit: Duration = .seconds(10),
    metrics factory: any MetricsFactory = NOOPMetricsHandler.instance
  ) {
    let metrics = IntakeMetrics(factory, kind: "identifications")
    commits = GroupCommit(
      capacity: capacity, batchSize: batchSize, patience: patience, stallLimit: stallLimit,
      isolates: { StoreFailure($0) == .perhapsOneItem }, stalled: { _ in metrics.noteStall() },
      commit: { batches in
        try await metrics.measuring(batches.count) { try await store.accept(batches, receivedAt: Date()) }
      })
  }

  /// Checks a submission, counts it, and answers when it is committed.
  /// - Throws: ``InvalidSubmission``; ``IntakeError``, with nothing accepted; or the database's error.
  public func take(_ submission: IdentificationSubmission, from app: App) async throws -> IdentificationOutcome {
    try await commits.submit([try submission.batch(appID: app.id, at: Date())])[0]
  }

  /// Number of submissions whose commit has not started.
  public var depth: Int { commits.depth }

  /// The most waiting submissions.
  public var capacity: Int { commits.capacity }

  /// Commits until ``close()``; run it in one task for the lifetime of the server.
  public func run() async { await commits.run() }

  /// Refuses new submissions; accepted ones are committed and answered, and then ``run()`` returns.
  public func close() { commits.close() }
}
