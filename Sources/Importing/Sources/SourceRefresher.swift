// SPDX-License-Identifier: Apache-2.0

import CurlHTTP
import ServerSupport
import CallerPack
public import Curation
import Support
public import Foundation
public import Intake
public import OutboundHTTP
public import Storage

/// Downloads a source, checks its file completely, and changes its reports to what the file says.
///
/// The reports of a list's number come from the last refresh whose file contained the number, and are deleted when a file
/// does not. Complaints of a file are stored like complaints of an import. After a failure the former reports stay and decay.
public struct SourceRefresher: Sendable {
  public enum Outcome: Sendable, Equatable {
    /// The source was read, or has not changed.
    case refreshed(Summary)
    /// It could not be read; nothing was changed.
    case failed(SourceFailure)
  }

  public struct Summary: Sendable, Equatable {
    /// Whether the server said that the file has not changed.
    public var isUnchanged = false
    /// Entries of the source, or complaints of its file.
    public var entries = 0
    /// Entries and complaints that are new.
    public var added = 0
    /// Entries whose reports were replaced: by newer ones, or ones with another category or weight.
    public var replaced = 0
    /// Entries that the source no longer has.
    public var removed = 0
    public var rejected = RejectedRows()
    /// Whether the file is the complete list, or has complaints, and not only the changes since a version.
    var isComplete = true
    public var ranges = 0
    /// The ranges that wait for a moderator.
    public var proposedRanges = 0
  }

  /// How long a list's changes are used before the complete list is read again, in seconds: 30 days.
  private static let completeEvery: TimeInterval = 30 * 86_400
  /// Seconds between two counts of the precision of sources.
  private static let judgment: TimeInterval = 60
  /// In place of the digest of a file where there is none.
  static let noDigest = String(repeating: "0", count: 64)
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
  let limits: SourceReadLimits
  let serverID: @Sendable () throws -> String?

  /// - Parameters:
  ///   - subjects: the categories of the FTC's subjects.
  ///   - folder: for temporary files; created where it does not exist.
  ///   - serverID: reads the id of this server; nil before its first publication.
  public init(
    stores: Stores, pseudonymizer: Pseudonymizer, subjects: SubjectTable, folder: String,
    limits: SourceReadLimits = SourceReadLimits(), serverID: @escaping @Sendable () throws -> String? = { nil }
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

  /// Refreshes a source. The outcome is stored with the source.
  /// - Parameters:
  ///   - onlyIfDue: whether a source is left as it is that another process has refreshed since it was due.
  ///   - force: whether a complete list may change more entries than the source's settings allow.
  ///   - waits: whether to wait while another process refreshes it.
  /// - Returns: nil where another process refreshes it, or it was removed, or is not due.
  /// - Throws: the database's error, `CancellationError`; then the next refresh repeats the work.
  public func refresh(
    _ name: String, by client: OutboundHTTP, at time: Date, onlyIfDue: Bool = false, force: Bool = false,
    waits: Bool = false
  ) async throws -> Outcome? {
    guard let source = try await stores.sources.source(named: name) else { return nil }
    return try await withLease(of: source.id, waits: waits) { () async throws -> Outcome? in
      // Another process may have refreshed it before the lease was taken.
      guard let source = try await stores.sources.source(named: name), !onlyIfDue || source.isDue(at: time) else {
        return nil
      }
      return try await refresh(source, by: client, at: time, force: force)
    } ?? nil
  }

  /// Withdraws a source's entries and ends the subscription. Complaints of its files stay and decay, with its ceiling.
  /// Waits while another process refreshes it.
  /// - Returns: false where there is none of the name.
  public func remove(_ name: String, by actor: Actor, at time: Date) async throws -> Bool {
    guard let source = try await stores.sources.source(named: name) else { return false }
    return try await withLease(of: source.id, waits: true) {
      // An interrupted removal leaves a source without some of its entries: its complete file is read again.
      try await stores.sources.beginChanges(of: source, to: Self.noDigest)
      while case let entries = try await stores.sources.entries(of: source.id, after: 0), !entries.isEmpty {
        try await withdraw(entries, of: source.id, at: time)
      }
      _ = try await stores.ranges.replace(
        of: source.id, named: source.name, ceiling: .nothing, with: [], at: time)
      try await stores.protection.replace(of: source.id, named: source.name, with: [], at: time)
      try await stores.sources.remove(source, by: actor, at: time)
      return true
    } ?? false
  }

  /// Counts the precision of all sources, and suspends those whose precision is too low.
  /// - Parameter onlyIfDue: whether nothing is counted where a server has done so within ``judgment``, or is doing so.
  /// - Returns: the names of those that were suspended by this call.
  public func evaluate(at time: Date, onlyIfDue: Bool = false) async throws -> [String] {
    guard onlyIfDue else { return try await stores.sources.evaluate(at: time).map(\.name) }
    let last = time.addingTimeInterval(-Self.judgment)
    guard try await stores.sources.isJudgmentDue(since: last) else { return [] }
    return try await stores.leases.withLease(of: "source precision") {
      // Another server may have counted before the lease was taken.
      guard try await stores.sources.isJudgmentDue(since: last) else { return [] }
      return try await stores.sources.evaluate(at: time).map(\.name)
    } ?? []
  }

  package func withdrawRemoved(at time: Date) async throws {
    for id in try await stores.sources.removed() {
      _ = try await stores.leases.withLease(of: Self.job(id)) {
        // It may have been added again before the lease was taken.
        guard try await stores.sources.removed().contains(id) else { return }
        while case let entries = try await stores.sources.entries(of: id, after: 0), !entries.isEmpty {
          try await withdraw(entries, of: id, at: time)
        }
        _ = try await stores.ranges.replace(of: id, named: "", ceiling: .nothing, with: [], at: time)
        try await stores.protection.replace(of: id, named: "", with: [], at: time)
        try await stores.sources.finishRemoval(of: id)
      }
    }
  }

  /// Removes temporary files of killed processes.
  package func clean() { SourceFile.clean(folder: folder) }

  private static func job(_ id: Int32) -> String { "source \(id)" }

  /// - Returns: nil where another process has the lease of the source.
  private func withLease<Result: Sendable>(
    of id: Int32, waits: Bool, _ body: @Sendable () async throws -> Result
  ) async throws -> Result? {
    while true {
      if let result = try await stores.leases.withLease(of: Self.job(id), body) { return result }
      guard waits else { return nil }
      try await Task.sleep(for: .seconds(1))
    }
  }

  private func refresh(
    _ source: Source, by client: OutboundHTTP, at time: Date, force: Bool
  ) async throws -> Outcome {
    do {
      do throws(FileFailure) {
        try PrivateFile.makeFolder(folder)
      } catch {
        throw SourceFailure.cannotWrite(error.description)
      }
      clean()
      var (state, summary) = try await read(source, by: client, at: time, force: force)
      state.refreshedAt = time
      if !summary.isUnchanged || !source.settings.format.hasComplaints { state.entries = summary.entries }
      if !summary.isComplete {
        state.rejected.add(changes: summary.rejected)
      } else if !summary.isUnchanged {
        state.rejected = summary.rejected
      }
      // Servers that were started together do not ask at the same time.
      let pause = Double(source.settings.every) * Double.random(in: 1...1.05)
      try await stores.sources.succeed(source, with: state, next: time.addingTimeInterval(pause))
      if source.state.refreshedAt == nil, source.settings.format == .ringfence {
        try await stores.sources.readOthersAgain(source)
      }
      return .refreshed(summary)
    } catch  where error is CancellationError || Task.isCancelled {
      throw error
    } catch {
      // Another error is one of the database: a source that causes it must not be downloaded every few seconds.
      let refused = error as? RejectedFile
      let failure = refused?.failure ?? error as? SourceFailure ?? .notStored("\(error)")
      let pause = Self.pause(after: source.failures + 1, of: source.settings.format, because: failure.code)
      // An attempt by hand before the source is due leaves the time of the next one as it is.
      let next = !source.isDue(at: time) ? nil : time.addingTimeInterval(pause)
      try await stores.sources.fail(source, because: failure, rejected: refused?.rejected, at: time, next: next)
      return .failed(failure)
    }
  }

  /// Seconds until the next attempt: 5, 10, 20 minutes and so on up to a day; for publications of other servers from 30
  /// seconds on, up to an hour, and up to two minutes where the server cannot be reached.
  static func pause(
    after failures: Int, of format: SourceFormat = .csv, because code: SourceFailure.Code = .unreadable
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
    _ source: Source, by client: OutboundHTTP, at time: Date, force: Bool
  ) async throws -> (Source.State, Summary) {
    let format = source.settings.format
    if format == .ringfence { return try await readPublication(source, by: client, at: time, force: force) }
    let isFresh = source.state.completeAt.map { abs(time.timeIntervalSince($0)) < Self.completeEvery } ?? false
    // After an interruption the changes are not sufficient.
    let isWhole = source.state.changingSHA256 == nil
    let since = format.hasChanges && isFresh && isWhole ? source.state.listVersion : nil
    if let read = try await read(source, since: since, by: client, at: time, force: force) { return read }
    // The list is older than the version that was asked for: a restored backup.
    guard let read = try await read(source, since: nil, by: client, at: time, force: force) else {
      throw SourceFailure.noEntries
    }
    return read
  }

  /// - Returns: nil where the complete list must be read instead.
  private func read(
    _ source: Source, since: Int64?, by client: OutboundHTTP, at time: Date, force: Bool
  ) async throws -> (Source.State, Summary)? {
    let format = source.settings.format
    let download = SourceDownload(client: client, folder: folder, limits: limits)
    let outcome = try await download.run(
      source.settings, source.state, since: since,
      isConditional: !format.hasChanges && source.state.refreshedAt != nil && source.state.changingSHA256 == nil)
    var state = source.state
    guard case .file(let file, let etag, let lastModified) = outcome else {
      guard source.state.refreshedAt != nil else { throw SourceFailure.unexpectedStatus(status: 304) }
      var summary = Summary()
      if !format.hasComplaints, !format.protects {
        try await stores.sources.beginChanges(of: source, to: Self.noDigest)
        summary = try await store(SourceContent(), isComplete: false, of: source, at: time)
      }
      summary.isUnchanged = true
      return (state, summary)
    }
    (state.etag, state.lastModified) = (etag, lastModified)
    let plain = try await SourceExpansion(folder: folder, limits: limits).run(file)
    if let complaints = format.complaints {
      return (state, try await importComplaints(plain.path, complaints, of: source, at: time, force: force))
    }
    if format.protects { return (state, try await protect(plain.path, of: source, at: time, force: force)) }
    let digest = try await runOnThread { try PackDigest.ofFile(plain.path).hex }
    let content = try await SourceContent.read(
      path: plain.path, format: format, options: source.settings.options, isComplete: since == nil, limits: limits
    ).accepted(by: stores.holds)
    if format.hasChanges {
      guard let version = content.version else { throw SourceFailure.unreadable("the list has no version") }
      if let since, version < since { return nil }
      state.listVersion = version
      if since == nil { state.completeAt = time }
    }
    do {
      if !force { try await compare(content, isComplete: since == nil, to: source, digest: digest) }
    } catch let failure as SourceFailure where since == nil {
      throw RejectedFile(rejected: content.rejected, failure: failure)
    }
    try await stores.sources.beginChanges(
      of: source, to: digest, entries: since == nil ? content.entries.count : nil)
    return (state, try await store(content, isComplete: since == nil, of: source, at: time))
  }
}
