// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Fetching
import Foundation
import OutboundHTTP
import Storage

/// Subscriptions to publications of other servers.
extension SourceRefresher {
  /// How long an unchanged evidence file is not read again, in seconds: a day. Rows that are the evidence of a third server
  /// may count, or not, when entries of other sources have changed.
  private static let rereadEvery: TimeInterval = 86_400

  /// Reads the publication of a subscription: first the signed manifest, and only a changed evidence file.
  func readPublication(
    _ source: Source, by client: OutboundHTTP, at time: Date, force: Bool
  ) async throws -> (Source.State, Summary) {
    let reader = try SubscriptionReader(source.settings, client: client, folder: folder, limits: limits)
    var state = source.state
    let isRead =
      state.listSHA256 != nil && state.completeAt.map { abs(time.timeIntervalSince($0)) < Self.rereadEvery } ?? false
    // An expired manifest is read again, to refuse it.
    let etag = isRead && state.expiresAt.map { time < $0 } ?? false ? state.etag : nil
    let known = UpdateState(
      seen: state.seen.map { .init(serial: $0.serial, sha256: $0.sha256) }, root: state.seen?.root.map { Data($0) })
    guard let newest = try await reader.newest(after: known, unless: etag, at: time) else {
      return try await renewed(source, state, at: time)
    }

    try await accept(newest, of: source, &state)
    // A recipe writes no pack without numbers: after a success the list is empty.
    let isEmpty = newest.manifest.packs.isEmpty && source.state.refreshedAt != nil
    let file = isEmpty ? nil : try reader.evidence(in: newest)
    let digest = file?.sha256 ?? Self.noDigest
    (state.etag, state.expiresAt) = (newest.etag.flatMap { SourceDownload.stored($0, atMost: 1_000) }, newest.expires)
    if isRead, digest == state.listSHA256 { return try await renewed(source, state, at: time) }

    var content = SourceContent()
    if let file {
      let server = try await server(of: newest, reader, source, &state)
      content = try await counting(
        try await reader.content(of: file, from: server).accepted(by: stores.holds), of: source, from: server)
    }
    if !force { try await compare(content, to: source, digest: digest) }
    try await stores.sources.beginChanges(of: source, to: digest, entries: content.entries.count)
    (state.listSHA256, state.completeAt) = (digest, time)
    var summary = Summary()
    summary.removed = try await removeMissing(content, of: source, state, at: time)
    let stored = try await store(content, isComplete: true, of: source, at: time) {
      try await checkNewest(source, state)
    }
    summary.add(stored)
    state.listVersion = Int64(ComplaintDays.day(of: time))
    return (state, summary)
  }

  /// The outcome of a refresh whose file has not changed. The first one of a day stores that it contains its numbers.
  private func renewed(
    _ source: Source, _ state: Source.State, at time: Date
  ) async throws -> (Source.State, Summary) {
    var (state, summary) = (state, Summary())
    let day = Int64(ComplaintDays.day(of: time))
    if state.listVersion == day {
      summary.entries = state.entries
    } else {
      try await checkNewest(source, state)
      try await stores.sources.beginChanges(of: source)
      summary = try await store(SourceContent(), isComplete: false, of: source, at: time) {
        try await checkNewest(source, state)
      }
      state.listVersion = day
    }
    summary.isUnchanged = true
    return (state, summary)
  }

  /// Stores the publication as the newest before anything of it is used, so that no earlier one is accepted afterwards,
  /// whichever server reads it.
  private func accept(
    _ newest: SubscriptionFetcher.Publication, of source: Source, _ state: inout Source.State
  ) async throws {
    guard let link = newest.state.seen else { throw SourceFailure.superseded }
    let seen = Source.SeenPublication(
      serial: link.serial, sha256: link.sha256, rootSerial: Int64(newest.rootSerial),
      root: newest.state.root.map { [UInt8]($0) })
    if seen != state.seen {
      guard try await stores.sources.accept(seen, of: source) else { throw SourceFailure.superseded }
    }
    state.seen = seen
  }

  /// The id of the publication's server, which no other subscription has.
  private func server(
    of newest: SubscriptionFetcher.Publication, _ reader: SubscriptionReader, _ source: Source,
    _ state: inout Source.State
  ) async throws -> String {
    if let known = state.serverID { return known }
    let server = try await reader.serverID(of: newest)
    guard try await OwnServer(serverID, stores).id != server else { throw SourceFailure.ownServer }
    try await stores.sources.assign(server, to: source)
    state.serverID = server
    return server
  }

  /// Leaves out the rows that do not count; see ``ProvenanceOrigins``.
  func counting(_ content: SourceContent, of source: Source, from server: String) async throws -> SourceContent {
    let subscriptions = try await stores.sources.subscriptions()
    let own = try await OwnServer(serverID, stores)
    let rule = own.rule(for: server, among: subscriptions)
    var content = content
    var entries: [SourceContent.Entry] = []
    entries.reserveCapacity(content.entries.count)
    for start in stride(from: 0, to: content.entries.count, by: SourceStore.page) {
      let page = content.entries[start..<min(start + SourceStore.page, content.entries.count)]
      // Only evidence of others depends on other sources.
      let passedOn = page.filter { !$0.origins.contains(server) && rule.counts($0.origins, hops: $0.hops, known: []) }
      let known =
        passedOn.isEmpty
        ? [:] : try await stores.sources.origins(of: passedOn.map(\.number), besides: source, among: subscriptions)
      entries += page.filter { rule.counts($0.origins, hops: $0.hops, known: known[$0.number] ?? []) }
    }
    content.entries = entries
    return content
  }

  /// Deletes the reports of entries that the content does not have, before anything else is stored, and revokes their
  /// numbers where nothing else lists them. The entries are deleted last: an interrupted refresh is repeated by them.
  /// - Returns: the number of entries.
  func removeMissing(
    _ content: SourceContent, of source: Source, _ state: Source.State, at time: Date
  ) async throws -> Int {
    var merge = SourceMerge(content, isComplete: true, weight: 0, at: time)
    var removed: [SourceEntry] = []
    var number: Int64 = 0
    while case let stored = try await stores.sources.entries(of: source.id, after: number), let last = stored.last {
      removed += merge.next(stored).entries.compactMap { $0.new == nil ? $0.old : nil }
      number = last.number
    }
    guard !removed.isEmpty else { return 0 }
    try await checkNewest(source, state)
    let emptied = removed.map { entry in
      var entry = entry
      entry.complaints = 0
      return entry
    }
    let changes = zip(removed, emptied).map { SourceEntryChange(old: $0, new: $1) }
    try await stores.reports.change(changes, of: source.id, at: time)
    _ = try await stores.publications.revokeUnsupported(removed.map(\.number), because: source.name, at: time)
    try await withdraw(emptied, of: source.id, at: time)
    return removed.count
  }

  /// Ends a refresh that another process has overtaken, because this one was suspended until its lease expired. Its file is
  /// read again, since it may have changed entries since.
  private func checkNewest(_ source: Source, _ state: Source.State) async throws {
    guard let seen = state.seen, try await !stores.sources.isNewest(seen.serial, of: source) else { return }
    try await stores.sources.readAgain(source)
    throw SourceFailure.superseded
  }
}

extension SourceRefresher.Summary {
  fileprivate mutating func add(_ other: Self) {
    entries += other.entries
    added += other.added
    replaced += other.replaced
    removed += other.removed
    rejected = other.rejected
    ranges += other.ranges
    proposedRanges += other.proposedRanges
  }
}

extension SourceFailure {
  init(_ error: FetchError) {
    self =
      switch error {
      case .request(_, .status(let status, _)) where (300..<400).contains(status): .otherOrigin
      case .request(_, let error): SourceFailure(error)
      case .network(let text): .connectionFailed(text)
      case .missing(let address): .missingFile(address: address)
      case .key(_, .withoutScope): .unexpectedStatus(status: 403)
      case .key: .unexpectedStatus(status: 401)
      case .refused(let error): SourceFailure(error)
      case .cannotWrite(let text): .cannotWrite(text)
      case .noSuchPack(let name, _): .noPack(pack: name)
      case .busy, .noSuchFormat: .unreadable("\(error)")
      }
  }

  init(_ error: UpdateError) {
    self =
      switch error {
      case .unsupported(let version, let known): .unsupportedVersion(version: version, known: known)
      case .unknownKey(let keys): .untrustedKey(keys: keys.map { $0.prefix(16) }.joined(separator: ", "))
      case .badSignature: .wrongSignature
      case .expired: .expired
      case .rootExpired: .rootExpired
      case .downgrade(let seen, let got), .brokenChain(let seen, let got):
        .olderPublication(serial: got, accepted: seen)
      case .noSuchPack(let name): .noPack(pack: name)
      case .wrongFile(let path, _, _): .wrongDigest(path: path)
      case .tooLarge(_, let limit): .answerTooLong(maximumBytes: limit)
      case .malformed, .rootOutOfOrder, .pack: .unreadable("\(error)")
      }
  }
}
