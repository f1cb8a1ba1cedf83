// SPDX-License-Identifier: Apache-2.0

import Curation
import PostgreSQL
import Storage

/// Reads the evidence for listed numbers from the snapshot of a publication, some thousands of numbers at a time.
struct ProvenanceCollector {
  /// The most numbers of a page.
  static let page = 4_000

  private let server: ServerID
  private let rules: [RangeRule]
  private let ruled: [RuledRange]

  /// - Parameters:
  ///   - server: the id of this server.
  ///   - rules: the rules of the snapshot.
  ///   - ruled: the ranges that packs include because of them, ascending.
  init(server: ServerID, rules: [RangeRule], ruled: [RuledRange]) {
    (self.server, self.rules, self.ruled) = (server, rules, ruled)
  }

  /// - Parameters:
  ///   - listings: the listed numbers, ascending.
  ///   - connection: within the snapshot.
  ///   - progress: receives the count of numbers done.
  func collect(
    _ listings: some Sequence<Listing>, in folder: String, on connection: PostgresConnection,
    progress: (Int) -> Void
  ) async throws -> ProvenanceSpool {
    let writer = try ProvenanceSpool.Writer(folder: folder)
    let feeds = Feeds(
      try await SourceStore.provenanceSources(on: connection), by: try await ThresholdStore.current(on: connection).set)
    // A rule is not passed on: servers that are subscribed to each other would keep it for ever.
    let own = ruled.filter { feeds.servers[rules[$0.rule].appID] == nil }
    let ranges = own.map {
      RangeProvenance(numbers: $0.numbers, category: rules[$0.rule].category, treatment: $0.treatment)
    }
    let ruled = own.map(\.numbers)
    var limit = ProvenanceOriginLimit(server: server, subscribed: feeds.subscribed)
    var done = 0
    var some: [Listing] = []
    var rest = listings.makeIterator()
    repeat {
      try Task.checkCancellation()
      some.removeAll(keepingCapacity: true)
      while some.count < Self.page, let listing = rest.next() { some.append(listing) }
      for evidence in try await evidence(for: some, ruled: ruled, feeds: feeds, &limit, on: connection) {
        try writer.append(evidence)
      }
      done += some.count
      progress(done)
    } while some.count == Self.page
    var spool = try writer.finish()
    spool.ranges = ranges
    return spool
  }

  /// The sources of the snapshot.
  private struct Feeds {
    /// The servers of subscriptions, including ended ones.
    var servers: [Int32: ServerID] = [:]
    /// The lists whose entries have origins.
    var withOrigins: Set<Int32> = []
    /// Sources that can list no number, which are no reason for a listing.
    var withLowCeiling: Set<Int32> = []
    var subscribed: Set<ServerID> = []
    /// Lists, whose reports are replaced each week.
    var lists: Set<Int32> = []

    init(_ feeds: [ProvenanceSource], by thresholds: ThresholdSet) {
      for feed in feeds {
        if feed.isList { lists.insert(feed.id) }
        let isTrusted = thresholds.ceiling(ofSource: feed.id) >= .identify
        if isTrusted { withOrigins.insert(feed.id) } else { withLowCeiling.insert(feed.id) }
        guard let server = feed.serverID.flatMap(ServerID.init(_:)) else { continue }
        servers[feed.id] = server
        if isTrusted, feed.isCurrent { subscribed.insert(server) }
      }
    }
  }

  private func evidence(
    for listings: [Listing], ruled: [ClosedRange<Int64>], feeds: Feeds, _ limit: inout ProvenanceOriginLimit,
    on connection: PostgresConnection
  ) async throws -> [NumberProvenance] {
    let numbers = listings.map(\.number)
    guard !numbers.isEmpty else { return [] }
    var records: [Int64: NumberRecord] = [:]
    for record in try await NumberRecordStore.records(of: numbers, on: connection) { records[record.number] = record }
    var subscribed: [Int32: [Int64: EntryOrigins]] = [:]
    for appID in feeds.withOrigins.intersection(records.values.flatMap { $0.sources.map(\.appID) }).sorted() {
      subscribed[appID] = try await SourceStore.origins(of: numbers, in: appID, on: connection)
    }
    var rows: [NumberProvenance] = []
    rows.reserveCapacity(listings.count)
    for listing in listings {
      let record = records[listing.number]
      let reporters = (record?.standing.parts ?? []).reduce(0) { $1.category.isToxic ? $0 + Int($1.reporters) : $0 }
      let strength = ProvenanceRow.strength(ofReporters: reporters)
      let lists = (record?.sources ?? []).filter { $0.complaints > 0 }
      let reasons = lists.filter { !feeds.withLowCeiling.contains($0.appID) }
      // Fewer reporters are evidence only where nothing else is known: otherwise the file would show that there are some.
      let hasOwn =
        listing.cause != .reports || strength != nil || !ruled.overlapping(listing.number...listing.number).isEmpty
        || reasons.contains { feeds.servers[$0.appID] == nil && subscribed[$0.appID]?[listing.number] == nil }
      let others = reasons.flatMap { list -> [ServerID] in
        guard feeds.withOrigins.contains(list.appID) else { return [] }
        // A report without an entry is evidence of the server that published it, and never of this one.
        return subscribed[list.appID]?[listing.number]?.servers.compactMap(ServerID.init(_:))
          ?? feeds.servers[list.appID].map { [$0] } ?? []
      }
      guard let origins = limit.origins(others, hasOwn: hasOwn, isReported: reporters > 0) else { continue }
      let hops = reasons.map { subscribed[$0.appID]?[listing.number]?.hops ?? 0 }.min() ?? 0
      rows.append(
        NumberProvenance(
          number: listing.number, category: listing.category, treatment: listing.treatment,
          strength: strength, lastDay: lastDay(record, lists, downloaded: feeds.lists),
          origins: origins, hops: origins.contains(server) ? 0 : hops + 1))
    }
    return rows
  }

  /// The day of the last complaint; nil where a downloaded list has none earlier: its reports have the day on which they
  /// were replaced.
  private func lastDay(_ record: NumberRecord?, _ lists: [SourceTally], downloaded: Set<Int32>) -> Int32? {
    let days = [record?.days.lastDay] + lists.map(\.days.lastDay)
    guard let day = days.compactMap({ $0 }).max() else { return nil }
    return lists.contains { downloaded.contains($0.appID) && ($0.days.lastDay ?? .min) >= day } ? nil : day
  }
}

/// Limits the origins of evidence files. Other servers choose the origins that they send, and subscribers refuse a file
/// with too many: without limits one server could make this server's files useless.
struct ProvenanceOriginLimit {
  /// The most origins of a row.
  static let maxOfRow = 64
  /// The most servers in all rows, and the most combinations of several: well below the limits of subscribers.
  static let maxServers = 4_000
  static let maxCombinations = 50_000

  /// Origins, without this server and its subscriptions, of the first rows and of each further one. Later rows
  /// have fewer, so that invented origins cannot make the file many times larger.
  static let maxAtFirst = 65_536
  static let maxForRow = 4

  private let server: ServerID
  private let subscribed: Set<ServerID>
  private var budget = maxAtFirst
  private var servers: Set<ServerID>
  private var combinations: Set<[ServerID]> = []

  /// - Parameters:
  ///   - server: the id of this server.
  ///   - subscribed: the servers that it is subscribed to, which come first.
  init(server: ServerID, subscribed: Set<ServerID> = []) {
    self.server = server
    self.subscribed = subscribed
    servers = subscribed.union([server])
  }

  /// The origins of a number, ascending. This server is one only with evidence of its own, whatever others say, unless
  /// nothing else is known.
  /// - Parameter isReported: whether reporters here have complained, who are too few to be evidence in addition to others.
  /// - Returns: nil where the number has origins, and none is within the limit of servers.
  mutating func origins(_ others: [ServerID], hasOwn: Bool, isReported: Bool = false) -> [ServerID]? {
    let others = Set(others).subtracting([server])
    budget += Self.maxForRow
    var kept = Array(others.intersection(subscribed).sorted().prefix(Self.maxOfRow - 1))
    for origin in others.subtracting(subscribed).sorted() where kept.count < Self.maxOfRow - 1 && budget > 0 {
      guard servers.count < Self.maxServers || servers.contains(origin) else { continue }
      servers.insert(origin)
      kept.append(origin)
      budget -= 1
    }
    kept.sort()
    if hasOwn || others.isEmpty || kept.isEmpty && isReported { return limited((kept + [server]).sorted()) }
    return kept.isEmpty ? nil : limited(kept)
  }

  private mutating func limited(_ origins: [ServerID]) -> [ServerID] {
    guard origins.count > 1, !combinations.contains(origins) else { return origins }
    guard combinations.count < Self.maxCombinations else {
      return [origins.contains(server) ? server : origins.first(where: subscribed.contains) ?? origins[0]]
    }
    combinations.insert(origins)
    return origins
  }
}
