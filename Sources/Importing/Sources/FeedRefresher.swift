// SPDX-License-Identifier: Apache-2.0

import AsyncSupport
import CallerPack
public import Curation
import FileSupport
public import Foundation
public import Intake
public import OutboundHTTP
public import Storage

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
    /// Patterns for too many numbers, which are left out.
    public var patterns = 0
    /// Whether the next refresh replaces further reports because of their age.
    public var isPartial = false
    /// Entries whose report could not be stored: too many of them were withdrawn today.
    public var postponed = 0
  }

  /// How long a list's changes are used before the complete list is read again, in seconds: 30 days.
  private static let completeEvery: TimeInterval = 30 * 86_400
  /// Seconds between two counts of the precision of sources.
  private static let judgment: TimeInterval = 60
  /// In place of the digest of a file where there is none.
  static let noDigest = String(repeating: "0", count: 64)
  /// The greatest pause after a refresh that leaves reports to the next one, in seconds.
  private static let partPause = 30
  /// The least pause after a failure, and the greatest one, in seconds.
  private static let pauses: ClosedRange<TimeInterval> = 300...86_400
  /// The same for publications of other servers, whose revocations are urgent.
  private static let subscriptionPauses: ClosedRange<TimeInterval> = 30...3_600
  /// The same while their server cannot be reached: mostly it starts again, or its network fails for some minutes.
  private static let connectionPauses: ClosedRange<TimeInterval> = 30...120

  let stores: Stores
  let pseudonymizer: Pseudonymizer
  let subjects: SubjectTable
  let folder: String
  let limits: FeedLimits
  let serverID: @Sendable () throws -> String?

  /// - Parameters:
  ///   - subjects: the categories of the FTC's subjects.
  ///   - folder: for temporary files; created where it does not exist.
  ///   - serverID: reads the id of this server; nil before its first publication.
  public init(
    stores: Stores, pseudonymizer: Pseudonymizer, subjects: SubjectTable, folder: String,
    limits: FeedLimits = FeedLimits(), serverID: @escaping @Sendable () throws -> String? = { nil }
  ) {
    self.stores = stores
    self.pseudonymizer = pseudonymizer
    self.subjects = subjects
    self.folder = folder
    self.limits = limits
    self.serverID = serverID
  }

  /// Opens a client with the time limits of downloads.
  public func withClient<Result>(_ body: (OutboundHTTP) async throws -> Result) async throws -> Result {
    try await OutboundHTTP.withClient(idle: limits.idle, body)
  }

  /// Refreshes a source, unless another process does. The outcome is stored with the source.
  /// - Parameters:
  ///   - onlyIfDue: whether a source is left as it is that another process has refreshed since it was due.
  ///   - force: whether a complete list may change more entries than the source's settings allow.
  /// - Returns: nil where another process refreshes it, or it was removed, or is not due.
  /// - Throws: the database's error, `CancellationError`; then the next refresh repeats the work.
  public func refresh(
    _ name: String, by client: OutboundHTTP, at time: Date, onlyIfDue: Bool = false, force: Bool = false
  ) async throws -> Outcome? {
    guard let feed = try await stores.feeds.feed(named: name),
      let lease = try await stores.leases.take(Self.job(feed.id))
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
      let lease = try await stores.leases.take(Self.job(feed.id))
    else { return false }
    return try await stores.leases.holding(lease) {
      // An interrupted removal leaves a source without some of its entries: its complete file is read again.
      try await stores.feeds.beginChanges(of: feed, to: Self.noDigest)
      while case let entries = try await stores.feeds.entries(of: feed.id, after: 0), !entries.isEmpty {
        try await withdraw(entries, of: feed.id, at: time)
      }
      if !feed.settings.format.hasComplaints {
        try await withdrawLeft(of: feed.id, at: time)
      }
      try await stores.feeds.remove(feed, at: time, audit: audit)
      return true
    }
  }

  /// Counts the precision of all sources, and suspends those whose precision is too low.
  /// - Parameter onlyIfDue: whether nothing is counted where a server has done so within ``judgment``, or is doing so.
  /// - Returns: the names of those that were suspended by this call.
  public func judge(at time: Date, onlyIfDue: Bool = false) async throws -> [String] {
    guard onlyIfDue else { return try await stores.feeds.judge(at: time).map(\.name) }
    let last = time.addingTimeInterval(-Self.judgment)
    guard try await stores.feeds.isJudgmentDue(since: last),
      let lease = try await stores.leases.take("source precision")
    else { return [] }
    return try await stores.leases.holding(lease) {
      // Another server may have counted before the lease was taken.
      guard try await stores.feeds.isJudgmentDue(since: last) else { return [] }
      return try await stores.feeds.judge(at: time).map(\.name)
    }
  }

  /// Withdraws entries of removed sources, a page of each at most.
  func withdrawRemoved(at time: Date) async throws {
    for id in try await stores.feeds.removed() {
      guard let lease = try await stores.leases.take(Self.job(id)) else { continue }
      try await stores.leases.holding(lease) {
        // It may have been added again before the lease was taken.
        guard try await stores.feeds.removed().contains(id) else { return }
        let entries = try await stores.feeds.entries(of: id, after: 0)
        try await withdraw(entries, of: id, at: time)
        guard entries.count < FeedStore.page else { return }
        try await withdrawLeft(of: id, at: time)
        try await stores.feeds.finishRemoval(of: id)
      }
    }
  }

  /// Removes temporary files of killed processes.
  func clean(at time: Date) {
    FeedFile.clean(folder: folder, olderThan: 3_600, at: time)
  }

  private static func job(_ id: Int32) -> String { "source \(id)" }

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
      if summary.postponed > 0, feed.settings.format != .ringfence {
        // The next refresh reads the file again.
        (state.etag, state.lastModified) = (nil, nil)
        (state.listVersion, state.completeAt) = (feed.state.listVersion, feed.state.completeAt)
      }
      state.refreshedAt = time
      if !summary.isUnchanged || !feed.settings.format.hasComplaints { state.entries = summary.entries }
      // Servers that were started together do not ask at the same time.
      let every = summary.isPartial ? min(feed.settings.every, Self.partPause) : feed.settings.every
      var pause = Double(every) * Double.random(in: 1...1.05)
      if summary.postponed > 0 {
        let tomorrow = FeedMerge.day(of: time).addingTimeInterval(86_400)
        pause = min(pause, tomorrow.timeIntervalSince(time) + Double.random(in: 0...600))
      }
      try await stores.feeds.succeed(feed, with: state, next: time.addingTimeInterval(pause))
      if feed.state.refreshedAt == nil, feed.settings.format == .ringfence {
        try await stores.feeds.readOthersAgain(feed)
      }
      return .refreshed(summary)
    } catch  where error is CancellationError || Task.isCancelled {
      throw error
    } catch {
      // Another error is one of the database: a source that causes it must not be downloaded every few seconds.
      let failure = error as? FeedFailure ?? .notStored("\(error)")
      let pause = Self.pause(after: feed.failures + 1, of: feed.settings.format, because: failure.code)
      // An attempt by hand before the source is due leaves the time of the next one as it is.
      let next = feed.nextAt > time ? nil : time.addingTimeInterval(pause)
      try await stores.feeds.fail(feed, because: failure, at: time, next: next)
      return .failed(failure)
    }
  }

  /// Seconds until the next attempt: 5, 10, 20 minutes and so on up to a day; for publications of other servers from 30
  /// seconds on, up to an hour, and up to two minutes where the server cannot be reached.
  static func pause(
    after failures: Int, of format: FeedFormat = .csv, because code: FeedFailure.Code = .unreadable
  ) -> TimeInterval {
    let pauses =
      switch (format, code) {
      case (.ringfence, .connectionFailed), (.ringfence, .endedEarly), (.ringfence, .silent),
        (.ringfence, .tookTooLong), (.ringfence, .unexpectedStatus):
        connectionPauses
      case (.ringfence, _): subscriptionPauses
      default: pauses
      }
    return min(pauses.upperBound, pauses.lowerBound * Double(1 << min(max(0, failures - 1), 10)))
  }

  private func read(
    _ feed: SourceFeed, by client: OutboundHTTP, at time: Date, force: Bool
  ) async throws -> (SourceFeed.State, Summary) {
    let format = feed.settings.format
    if format == .ringfence { return try await readPublication(feed, by: client, at: time, force: force) }
    let isFresh = feed.state.completeAt.map { time.timeIntervalSince($0) < Self.completeEvery } ?? false
    // After an interruption the changes are not sufficient.
    let isWhole = feed.state.changingSHA256 == nil
    let since = format.hasChanges && isFresh && isWhole ? feed.state.listVersion : nil
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
      feed.settings, feed.state, since: since,
      isConditional: !format.hasChanges && feed.state.refreshedAt != nil && feed.state.changingSHA256 == nil)
    var state = feed.state
    guard case .file(let file, let etag, let lastModified) = outcome else {
      guard feed.state.refreshedAt != nil else { throw FeedFailure.unexpectedStatus(304) }
      var summary = Summary()
      if !format.hasComplaints {
        try await stores.feeds.beginChanges(of: feed, to: Self.noDigest)
        summary = try await store(FeedContent(), isComplete: false, of: feed, at: time)
      }
      summary.isUnchanged = true
      return (state, summary)
    }
    (state.etag, state.lastModified) = (etag, lastModified)
    let plain = try await FeedExpansion(folder: folder, limit: limits.expandedBytes).run(file)
    if let complaints = format.complaints {
      return (state, try await importComplaints(plain.path, complaints, of: feed, at: time, force: force))
    }
    let digest = try await runOnThread { try PackDigest.ofFile(plain.path).hex }
    let content = try await FeedContent.read(
      path: plain.path, feed: format, options: feed.settings.options, isComplete: since == nil, most: limits.entries)
    if format.hasChanges {
      guard let version = content.version else { throw FeedFailure.unreadable("the list has no version") }
      if let since, version < since { return nil }
      state.listVersion = version
      if since == nil { state.completeAt = time }
    }
    if !force { try await compare(content, isComplete: since == nil, to: feed, digest: digest) }
    try await stores.feeds.beginChanges(of: feed, to: digest)
    if feed.state.changingSHA256 != nil { try await withdrawLeft(of: feed.id, before: content, at: time) }
    return (state, try await store(content, isComplete: since == nil, of: feed, at: time))
  }
}
