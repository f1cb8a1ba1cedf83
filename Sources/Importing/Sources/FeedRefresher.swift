// SPDX-License-Identifier: Apache-2.0

public import Curation
import FileSupport
public import Foundation
public import Intake
public import OutboundHTTP
import PhoneNumbers
public import Storage
import Synchronization

/// Downloads a source, checks its file completely, and changes its reports to what the file says.
///
/// A list's number has one report, which is replaced each week while the list contains the number and withdrawn when it
/// does not. Complaints of a file are stored like those of an imported one. After a failure the former reports stay and
/// decay.
public struct FeedRefresher: Sendable {
  /// The result of a refresh.
  public enum Outcome: Sendable, Equatable {
    /// The source was read, or has not changed.
    case refreshed(Summary)
    /// It could not be read; nothing was changed.
    case failed(FeedFailure)
  }

  /// Counts of a refresh.
  public struct Summary: Sendable, Equatable {
    /// Whether the server said that the file has not changed.
    public var isUnchanged = false
    /// Entries of the source, or complaints of its file.
    public var entries = 0
    /// Entries and complaints that are new.
    public var added = 0
    /// Entries whose report was replaced: by a newer one, or one with another category.
    public var replaced = 0
    /// Entries that the source no longer has.
    public var removed = 0
    /// Rows that cannot be read.
    public var rejected = 0
    /// Entries whose report could not be stored: one with its id was withdrawn today.
    public var postponed = 0
  }

  /// How long a list's changes are used before the complete list is read again, in seconds: 30 days.
  private static let completeEvery: TimeInterval = 30 * 86_400
  /// The stored entries from which on a complete list must have half of them.
  private static let leastCompared = 100
  /// Numbers whose report is replaced at once. Between the steps they have no report of the source.
  private static let replacements = 50
  /// The least pause after a failure, and the greatest one, in seconds.
  private static let pauses: ClosedRange<TimeInterval> = 300...86_400

  private let stores: Stores
  private let pseudonymizer: Pseudonymizer
  private let subjects: SubjectTable
  private let folder: String
  private let limits: FeedLimits

  /// - Parameters:
  ///   - subjects: the categories of the FTC's subjects.
  ///   - folder: for temporary files; created where it does not exist.
  public init(
    stores: Stores, pseudonymizer: Pseudonymizer, subjects: SubjectTable, folder: String,
    limits: FeedLimits = FeedLimits()
  ) {
    self.stores = stores
    self.pseudonymizer = pseudonymizer
    self.subjects = subjects
    self.folder = folder
    self.limits = limits
  }

  /// Opens a client with the time limits of downloads.
  public func withClient<Result>(_ body: (OutboundHTTP) async throws -> Result) async throws -> Result {
    try await OutboundHTTP.withClient(idle: limits.idle, body)
  }

  /// Refreshes a source, unless another process does. The outcome is stored with the source.
  /// - Parameters:
  ///   - onlyIfDue: whether a source is left as it is that another process has refreshed since it was due.
  ///   - force: whether a complete list may have less than half of the stored entries.
  /// - Returns: nil where another process refreshes it, or it was removed, or is not due.
  /// - Throws: the database's error, `CancellationError`; then the next refresh repeats the work.
  public func refresh(
    _ name: String, by client: OutboundHTTP, at time: Date, onlyIfDue: Bool = false, force: Bool = false
  ) async throws -> Outcome? {
    guard let feed = try await stores.feeds.feed(named: name),
      let lease = try await stores.leases.take(Self.job(feed))
    else { return nil }
    return try await stores.leases.holding(lease) { () async throws -> Outcome? in
      // Another process may have refreshed it before the lease was taken.
      guard let feed = try await stores.feeds.feed(named: name), !onlyIfDue || feed.nextAt <= time else { return nil }
      return try await refresh(feed, by: client, at: time, force: force)
    }
  }

  /// Withdraws a source's entries and ends the subscription. Complaints of its files stay and decay, with its ceiling.
  /// - Returns: false where there is none of the name, or another process refreshes it.
  public func remove(_ name: String, at time: Date, audit: AuditEvent) async throws -> Bool {
    guard let feed = try await stores.feeds.feed(named: name),
      let lease = try await stores.leases.take(Self.job(feed))
    else { return false }
    return try await stores.leases.holding(lease) {
      while case let entries = try await stores.feeds.entries(of: feed.id, after: 0), !entries.isEmpty {
        try await withdraw(entries, of: feed, at: time)
      }
      try await stores.feeds.remove(feed, at: time, audit: audit)
      return true
    }
  }

  /// Removes temporary files of killed processes.
  func clean(at time: Date) {
    FeedFile.clean(folder: folder, olderThan: 3_600, at: time)
  }

  private static func job(_ feed: SourceFeed) -> String { "source \(feed.id)" }

  private func refresh(
    _ feed: SourceFeed, by client: OutboundHTTP, at time: Date, force: Bool
  ) async throws -> Outcome {
    do {
      do throws(FileFailure) {
        try PrivateFile.makeFolder(folder)
      } catch {
        throw FeedFailure.cannotWrite(error.description)
      }
      var (state, summary) = try await read(feed, by: client, at: time, force: force)
      if summary.postponed > 0 {
        // The next refresh reads the file again.
        (state.etag, state.lastModified) = (nil, nil)
        (state.listVersion, state.completeAt) = (feed.state.listVersion, feed.state.completeAt)
      }
      state.refreshedAt = time
      if !summary.isUnchanged || !feed.settings.format.hasComplaints { state.entries = summary.entries }
      // Servers that were started together do not ask at the same time.
      let pause = Double(feed.settings.every) * Double.random(in: 1...1.05)
      try await stores.feeds.succeed(feed, with: state, next: time.addingTimeInterval(pause))
      return .refreshed(summary)
    } catch  where error is CancellationError || Task.isCancelled {
      throw error
    } catch {
      // Another error is one of the database: a source that causes it must not be downloaded every few seconds.
      let failure = error as? FeedFailure ?? .notStored("\(error)")
      let pause = Self.pause(after: feed.failures + 1)
      try await stores.feeds.fail(feed, because: failure, at: time, next: time.addingTimeInterval(pause))
      return .failed(failure)
    }
  }

  /// Seconds until the next attempt: 5, 10, 20 minutes and so on up to a day.
  static func pause(after failures: Int) -> TimeInterval {
    min(pauses.upperBound, pauses.lowerBound * Double(1 << min(max(0, failures - 1), 10)))
  }

  private func read(
    _ feed: SourceFeed, by client: OutboundHTTP, at time: Date, force: Bool
  ) async throws -> (SourceFeed.State, Summary) {
    let format = feed.settings.format
    let isFresh = feed.state.completeAt.map { time.timeIntervalSince($0) < Self.completeEvery } ?? false
    let since = format.hasChanges && isFresh ? feed.state.listVersion : nil
    if let read = try await read(feed, since: since, by: client, at: time, force: force) { return read }
    // The list is older than the version that was asked for: a restored backup.
    guard let read = try await read(feed, since: nil, by: client, at: time, force: force) else {
      throw FeedFailure.noEntries
    }
    return read
  }

  /// - Returns: nil where the complete list must be read instead.
  private func read(
    _ feed: SourceFeed, since: Int64?, by client: OutboundHTTP, at time: Date, force: Bool
  ) async throws -> (SourceFeed.State, Summary)? {
    let format = feed.settings.format
    let download = FeedDownload(client: client, folder: folder, limits: limits)
    let outcome = try await download.run(
      feed, since: since, isConditional: !format.hasChanges && feed.state.refreshedAt != nil)
    var state = feed.state
    guard case .file(let file, let etag, let lastModified) = outcome else {
      var summary =
        format.hasComplaints ? Summary() : try await store(FeedContent(), isComplete: false, of: feed, at: time)
      summary.isUnchanged = true
      return (state, summary)
    }
    (state.etag, state.lastModified) = (etag, lastModified)
    let plain = try await FeedExpansion(folder: folder, limit: limits.expandedBytes).run(file)
    if let complaints = format.complaints {
      return (state, try await importComplaints(plain.path, complaints, of: feed, at: time))
    }
    let content = try await FeedContent.read(
      path: plain.path, feed: format, options: feed.settings.options, isComplete: since == nil, most: limits.entries)
    if format.hasChanges {
      guard let version = content.version else { throw FeedFailure.unreadable("the list has no version") }
      if let since, version < since { return nil }
      state.listVersion = version
      if since == nil { state.completeAt = time }
    }
    if since == nil, !force { try await compare(content, to: feed) }
    return (state, try await store(content, isComplete: since == nil, of: feed, at: time))
  }

  /// Refuses a complete list that has lost most entries: mostly a file that was cut, or an error of its owner.
  func compare(_ content: FeedContent, to feed: SourceFeed) async throws {
    let former = try await stores.feeds.entryCount(of: feed.id)
    guard former < Self.leastCompared || content.entries.count * 2 >= former else {
      throw FeedFailure.tooFewEntries(content.entries.count, former: former)
    }
  }

  /// Changes a list's entries and their reports.
  func store(
    _ content: FeedContent, isComplete: Bool, of feed: SourceFeed, at time: Date
  ) async throws -> Summary {
    var merge = FeedMerge(content, isComplete: isComplete, at: time)
    var summary = Summary()
    summary.rejected = content.rejected
    var number: Int64 = 0
    while true {
      let stored = try await stores.feeds.entries(of: feed.id, after: number)
      try await apply(merge.next(stored), to: feed, at: time, &summary)
      guard stored.count == FeedStore.page, let last = stored.last else { break }
      number = last.number
    }
    while case let changes = merge.rest(atMost: FeedStore.page), !changes.added.isEmpty {
      try await apply(changes, to: feed, at: time, &summary)
    }
    if summary.added + summary.removed > FeedStore.page { try await stores.reports.refreshStatistics() }
    return summary
  }

  private func apply(
    _ changes: FeedMerge.Changes, to feed: SourceFeed, at time: Date, _ summary: inout Summary
  ) async throws {
    let replaced = Dictionary(uniqueKeysWithValues: changes.replaced.map { ($0.number, $0) })
    let new = changes.added.filter { replaced[$0.number] == nil }
    for start in stride(from: 0, to: new.count, by: FeedStore.page) {
      let batch = new[start..<min(start + FeedStore.page, new.count)]
      let accepted = try await accept(Array(batch), of: feed)
      try await stores.feeds.store(accepted, of: feed.id)
      summary.added += accepted.count
      summary.entries += accepted.count
      summary.postponed += batch.count - accepted.count
    }
    let renewed = changes.added.filter { replaced[$0.number] != nil }
    for start in stride(from: 0, to: renewed.count, by: Self.replacements) {
      let batch = renewed[start..<min(start + Self.replacements, renewed.count)]
      // Their entries stay until the new report is stored: an interrupted refresh is repeated by them.
      try await stores.reports.withdraw(batch.compactMap { replaced[$0.number] }, of: feed.id, at: time)
      let accepted = try await accept(Array(batch), of: feed)
      try await stores.feeds.store(accepted, of: feed.id)
      summary.replaced += accepted.count
      summary.entries += batch.count
      summary.postponed += batch.count - accepted.count
    }
    try await withdraw(changes.removed, of: feed, at: time)
    summary.removed += changes.removed.count
    summary.entries += changes.kept
  }

  /// Stores the reports of entries.
  /// - Returns: the entries that have a report: one that was withdrawn earlier today cannot be stored before tomorrow.
  private func accept(_ entries: [SourceEntry], of feed: SourceFeed) async throws -> [SourceEntry] {
    let reports = entries.map { entry in
      Report(
        number: entry.number, appID: feed.id, reportID: entry.reportID(of: feed.id), reportedAt: entry.reportedAt,
        category: entry.category, reporter: nil)
    }
    let outcomes = try await stores.reports.accept(reports, receivedAt: Date())
    return zip(entries, outcomes).filter { $1 == .created || $1 == .duplicate }.map(\.0)
  }

  private func withdraw(_ entries: [SourceEntry], of feed: SourceFeed, at time: Date) async throws {
    try await stores.reports.withdraw(entries, of: feed.id, at: time)
    try await stores.feeds.forget(entries.map(\.number), of: feed.id)
  }

  /// Imports a file of complaints after it was read once without storing anything.
  ///
  /// Names of reporters in a file of another owner are no support: they would pass every ceiling. Comments would be shown
  /// as those of users, and "legitimate" would defend a number.
  func importComplaints(
    _ path: String, _ format: ComplaintFormat, of feed: SourceFeed, at time: Date
  ) async throws -> Summary {
    var options = ImportOptions(path: path, format: format, source: feed.name, subjects: subjects)
    options.droppedBefore = try await stores.retention.reportsDroppedBefore()
    options.now = time
    let most = limits.entries
    let count = Mutex(0)
    do {
      let trial = try await ImportPipeline(options: options).run { complaints in
        let rows = count.withLock { count in
          count += complaints.count
          return count
        }
        guard rows <= most else { throw FeedFailure.tooManyEntries(maximum: most) }
        return SinkResult(inserted: 0, duplicates: complaints.count)
      }
      let rejected = trial.rejectedRows - trial.rejected[.dateBeforeRetention, default: 0]
      guard rejected * 2 <= trial.rows else {
        throw FeedFailure.tooManyRejects(rejected: rejected, rows: trial.rows)
      }
      let protection = ProtectionCache(store: stores.protection)
      try await protection.refresh()
      let sink = ComplaintSink(
        store: stores.reports, source: try await stores.apps.source(named: feed.name, at: time),
        pseudonymizer: pseudonymizer, protection: protection)
      let countries = Set(feed.settings.options.countries)
      let result = try await ImportPipeline(options: options).run { complaints in
        let taken = complaints.compactMap { complaint -> ParsedComplaint? in
          guard complaint.category.isToxic,
            countries.isEmpty || PhoneNumber(digits: complaint.number)?.region.map(countries.contains) == true
          else { return nil }
          var complaint = complaint
          (complaint.reporter, complaint.comment) = (nil, nil)
          return complaint
        }
        return try await sink.take(taken)
      }
      if result.inserted > FeedStore.page { try await stores.reports.refreshStatistics() }
      var summary = Summary()
      (summary.entries, summary.added, summary.rejected) = (result.accepted, result.inserted, result.rejectedRows)
      return summary
    } catch let error as ImportFileError {
      throw FeedFailure(error)
    }
  }
}

extension FeedFormat {
  /// The format of a file of complaints; nil for lists.
  fileprivate var complaints: ComplaintFormat? {
    switch self {
    case .ftcCSV: .ftcCSV
    case .ftcTSV: .ftcTSV
    case .jsonLines: .jsonLines
    case .ftcRolling, .csv, .spamBlockerCSV, .spamBlockerXML, .phoneBlock: nil
    }
  }
}
