// SPDX-License-Identifier: Apache-2.0

public import Curation
import CurlHTTP
import Support
public import Foundation
import Intake
public import OutboundHTTP
import PhoneNumbers
public import Storage
import Synchronization

/// Reads a list without storing anything, and evaluates its numbers as a publication would.
///
/// Memory is bounded by the most entries of a list, 24 bytes each, and by a page of records.
public struct SourcePreviewer: Sendable {
  /// Numbers whose records are read at once.
  private static let page = 2_000
  /// The id of a list that is not there yet.
  private static let newList = Int32.max

  private let stores: Stores
  private let subjects: SubjectTable
  private let folder: String
  private let limits: SourceReadLimits
  private let serverID: @Sendable () throws -> String?

  /// - Parameters: as of ``SourceRefresher``.
  public init(
    stores: Stores, subjects: SubjectTable, folder: String, limits: SourceReadLimits = SourceReadLimits(),
    serverID: @escaping @Sendable () throws -> String? = { nil }
  ) {
    self.stores = stores
    self.subjects = subjects
    self.folder = folder
    self.limits = limits
    self.serverID = serverID
  }

  /// Opens a client with the time limits of downloads.
  public func withClient<Result>(_ body: (OutboundHTTP) async throws -> Result) async throws -> Result {
    try await OutboundHTTP.withClient(idle: limits.idle, body)
  }

  /// Previews the settings of a new source, or other settings of an existing one.
  ///
  /// A list with stored complaints outside its entries is refused: other settings affect numbers that the file may not have.
  /// - Parameter change: the weight and limits that the source gets.
  /// - Throws: ``SourceFailure``, `ThresholdProblem`, the database's error.
  public func preview(
    _ settings: Source.Settings, rule change: SourceRuleChange = SourceRuleChange(), by client: OutboundHTTP,
    at time: Date
  ) async throws -> SourcePreview {
    do {
      if settings.format.protects { return try await protection(settings, by: client) }
      var preview = SourcePreview()
      let list = try await stores.thresholds.lists().first { $0.name == settings.name }?.id
      try await checkHasNoComplaints(settings, list)
      let entries = try await entries(of: settings, by: client, at: time, &preview)
      return try await evaluate(entries, of: settings, change, at: time, preview)
    } catch let error as RejectedFile {
      throw error.failure
    }
  }

  /// The rejected rows of a list that does not protect numbers, without evaluating the others.
  /// - Throws: ``SourceFailure``, the database's error.
  public func rejected(
    of settings: Source.Settings, by client: OutboundHTTP, at time: Date
  ) async throws -> RejectedRows {
    do {
      var preview = SourcePreview()
      _ = try await entries(of: settings, by: client, at: time, &preview)
      return preview.rejected
    } catch let error as RejectedFile {
      return error.rejected
    }
  }

  private func makeFolder() throws(SourceFailure) {
    do throws(FileFailure) {
      try PrivateFile.makeFolder(folder)
    } catch {
      throw .cannotWrite(error.description)
    }
  }

  /// Previews another ceiling, weight or limits of a list from its stored entries, without a download. Of the format
  /// `ringfence` the ceiling decides which entries are stored, so it is downloaded.
  /// - Parameter ceiling: nil for the present one.
  /// - Throws: ``SourceFailure``, `ThresholdProblem`, the database's error.
  public func preview(
    _ ceiling: SourceCeiling?, rule: SourceRuleChange = SourceRuleChange(), of feed: Source, at time: Date
  ) async throws -> SourcePreview {
    var settings = feed.settings
    settings.ceiling = ceiling ?? settings.ceiling
    if settings.format == .ringfence {
      return try await withClient { [settings] in try await self.preview(settings, rule: rule, by: $0, at: time) }
    }
    guard !settings.format.hasComplaints, !settings.format.protects else { throw SourceFailure.storedComplaints }
    guard feed.state.refreshedAt != nil, feed.state.changingSHA256 == nil else { throw SourceFailure.notRead }
    var entries: [SourceEntry] = []
    while case let page = try await stores.sources.entries(of: feed.id, after: entries.last?.number ?? 0), !page.isEmpty
    {
      entries += page
      guard entries.count <= limits.entries else { throw SourceFailure.tooManyEntries(maximum: limits.entries) }
    }
    var preview = SourcePreview()
    preview.entries = entries.count
    return try await evaluate(entries, of: settings, rule, at: time, preview)
  }

  /// Refuses a list with stored complaints that are not its entries.
  func checkHasNoComplaints(_ settings: Source.Settings, _ list: Int32?) async throws {
    guard let list else { return }
    let former = try await stores.sources.source(named: settings.name)
    guard former == nil || former?.settings.format.hasComplaints == true || settings.format.hasComplaints else {
      return
    }
    guard try await !stores.sources.hasReports(list) else { throw SourceFailure.storedComplaints }
  }

  /// - Parameters:
  ///   - entries: ascending.
  ///   - preview: the counts of the file.
  func evaluate(
    _ entries: [SourceEntry], of settings: Source.Settings, _ rule: SourceRuleChange, at time: Date,
    _ preview: SourcePreview
  ) async throws -> SourcePreview {
    let former = try await stores.sources.source(named: settings.name)
    let list = try await stores.thresholds.lists().first { $0.name == settings.name }?.id ?? Self.newList
    return try await stores.publications.withSnapshot { connection in
      let present = try await ThresholdStore.current(on: connection).set
      let change = try present.replacing(settings.rule(of: list, isNew: former == nil, rule, in: present))
        .replacing(ceilingOf: list, with: settings.ceiling)
      let state = try await CurationStateStore.load(at: time, on: connection)
      var evaluation = SourceEvaluation(list: list, present: present, change: change, state: state, time: time)
      evaluation.preview = preview
      let weight = Float(change.weight(ofSource: list))
      var entries = entries
      for index in entries.indices { entries[index].weight = weight }
      var changes = SourceChanges(entries, isList: !settings.format.hasComplaints, isNew: former == nil, at: time)
      while true {
        while let number = changes.wanted {
          changes.take(try await SourceStore.entries(of: list, after: number, limit: Self.page, on: connection))
        }
        let page = changes.next(atMost: Self.page)
        guard !page.isEmpty else { break }
        let records = try await NumberRecordStore.records(of: page.map(\.number), on: connection)
        evaluation.take(page, records)
        try Task.checkCancellation()
      }
      return evaluation.preview
    }
  }

  /// The numbers of the list in ascending order; of a file of complaints once for each complaint.
  private func entries(
    of settings: Source.Settings, by client: OutboundHTTP, at time: Date, _ preview: inout SourcePreview
  ) async throws -> [SourceEntry] {
    try makeFolder()
    if settings.format == .ringfence { return try await evidence(of: settings, by: client, at: time, &preview) }
    let download = SourceDownload(client: client, folder: folder, limits: limits)
    let outcome = try await download.run(settings, Source.State(), since: nil, isConditional: false)
    guard case .file(let file, _, _) = outcome else { throw SourceFailure.unexpectedStatus(status: 304) }
    let plain = try await SourceExpansion(folder: folder, limits: limits).run(file)
    guard let format = settings.format.complaints else {
      let content = try await SourceContent.read(
        path: plain.path, format: settings.format, options: settings.options, isComplete: true, limits: limits
      ).accepted(by: stores.holds)
      return taken(content, at: time, &preview)
    }
    return try await complaints(plain.path, format, of: settings, at: time, &preview)
  }

  /// The entries of a list that protects, and the listed numbers that it would free.
  private func protection(_ settings: Source.Settings, by client: OutboundHTTP) async throws -> SourcePreview {
    try makeFolder()
    let download = SourceDownload(client: client, folder: folder, limits: limits)
    let outcome = try await download.run(settings, Source.State(), since: nil, isConditional: false)
    guard case .file(let file, _, _) = outcome else { throw SourceFailure.unexpectedStatus(status: 304) }
    let plain = try await SourceExpansion(folder: folder, limits: limits).run(file)
    let list = try await ProtectionList.read(plain.path, settings)
    var preview = SourcePreview()
    (preview.entries, preview.rejected) = (list.targets.count, list.rejected)
    preview.lost = try await stores.protection.listed(among: list.targets.map(\.target))
    return preview
  }

  private func taken(_ content: SourceContent, at time: Date, _ preview: inout SourcePreview) -> [SourceEntry] {
    (preview.entries, preview.rejected, preview.ranges) = (
      content.entries.count, content.rejected, content.ranges.count
    )
    return content.entries.map {
      SourceEntry(number: $0.number, category: $0.category, reportedAt: time, complaints: $0.complaints)
    }
  }

  /// The entries of another server's evidence. Evidence that it passes on is counted also where another source has brought
  /// it already.
  private func evidence(
    of settings: Source.Settings, by client: OutboundHTTP, at time: Date, _ preview: inout SourcePreview
  ) async throws -> [SourceEntry] {
    let reader = try SubscriptionReader(settings, client: client, folder: folder, limits: limits)
    guard let newest = try await reader.newest(at: time) else { throw SourceFailure.unexpectedStatus(status: 304) }
    let server = try await reader.serverID(of: newest)
    let own = try await OwnServer(serverID, stores)
    guard own.id != server else { throw SourceFailure.ownServer }
    var content = try await reader.content(of: try reader.evidence(in: newest), from: server).accepted(by: stores.holds)
    let subscriptions = try await stores.sources.subscriptions()
    let rule = own.rule(for: server, among: subscriptions)
    content.entries = content.entries.filter { rule.counts($0.origins, hops: $0.hops, known: []) }
    return taken(content, at: time, &preview)
  }

  private func complaints(
    _ path: String, _ format: ComplaintFormat, of settings: Source.Settings, at time: Date,
    _ preview: inout SourcePreview
  ) async throws -> [SourceEntry] {
    var options = ImportOptions(path: path, format: format, source: settings.name, subjects: subjects)
    try await options.readRefusals(of: stores)
    options.now = time
    let (most, filter) = (limits.entries, SourceFilter(settings.options))
    let found = Mutex<[SourceEntry]>([])
    do {
      let summary = try await ImportPipeline(options: options).run { complaints in
        let entries = complaints.filter(filter.takes).map {
          SourceEntry(number: $0.number, category: $0.category, reportedAt: $0.reportedAt)
        }
        let count = found.withLock { found in
          found += entries
          return found.count
        }
        guard count <= most else { throw SourceFailure.tooManyEntries(maximum: most) }
        return SinkResult(inserted: entries.count, duplicates: complaints.count - entries.count)
      }
      preview.rejected = summary.rejects
    } catch let error as ImportFileError {
      throw SourceFailure(error)
    }
    let entries = found.withLock { $0.sorted { ($0.number, $0.reportedAt) < ($1.number, $1.reportedAt) } }
    preview.entries = Set(entries.map(\.number)).count
    return entries
  }
}
