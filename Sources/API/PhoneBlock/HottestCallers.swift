// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import PackFormats
import PhoneNumbers
import Storage

/// The numbers to block with the most heat, from which lists with a limit and binary lists are cut. One task reads them
/// after a publication and every ten minutes; meanwhile the earlier ones are served.
actor HottestCallers {
  /// The numbers at one time.
  struct List: Sendable {
    /// The serial of the publication.
    let serial: Int64
    /// The highest heat first.
    let callers: [ListedCaller]
    /// The approved ranges whose numbers are all listed.
    let ranges: Set<NumberRange>
    let time: Date
  }

  private static let lifetime = Duration.seconds(600)
  /// The longest that a request waits for the first list. Devices wait for 30 seconds.
  static let patience = Duration.seconds(20)

  private let callers: CallerStore
  private let publications: PublicationStore
  /// The digits that numbers begin with; empty for the numbers of all regions.
  private let prefix: String
  private var known: (list: List, until: ContinuousClock.Instant)?
  private var reading: Task<List, any Error>?

  /// - Parameter region: nil for the numbers of all regions.
  init(callers: CallerStore, publications: PublicationStore, region: PhoneRegion?) {
    self.callers = callers
    self.publications = publications
    prefix = region.map { "\($0.callingCode)" } ?? ""
  }

  /// - Parameter serial: the newest publication.
  /// - Throws: the errors of the database, and `DeadlineExceeded`, where there is no earlier list.
  func list(serial: Int64) async throws -> List {
    if let known, known.list.serial == serial, known.until > .now { return known.list }
    let task = reading ?? read(serial)
    do {
      return try await withDeadline(known == nil ? Self.patience : .seconds(3)) { try await task.value }
    } catch {
      guard let known else { throw error }
      return known.list
    }
  }

  private func read(_ serial: Int64) -> Task<List, any Error> {
    let task = Task {
      defer { reading = nil }
      let list = try await Self.make(serial, prefix: prefix, callers: callers, publications: publications)
      known = (list, .now + Self.lifetime)
      return list
    }
    reading = task
    return task
  }

  private static func make(
    _ serial: Int64, prefix: String, callers: CallerStore, publications: PublicationStore
  ) async throws -> List {
    try await publications.requireListings(of: serial)
    let time = Date()
    let hottest = try await callers.hottest(prefix: prefix, at: time)
    let approved = try await callers.approvedRanges().filter { "\($0.first)".hasPrefix(prefix) }
    var ranges: Set<NumberRange> = []
    for start in stride(from: 0, to: approved.count, by: 500) {
      ranges.formUnion(try await callers.complete(Array(approved[start..<min(start + 500, approved.count)])))
    }
    return List(serial: serial, callers: hottest, ranges: ranges, time: time)
  }
}

extension HottestCallers.List {
  /// A binary list. Ranges are kept; the numbers with the highest heat fill the room. Only ranges whose numbers
  /// are all listed are prefixes, so no number has to be allowed.
  func binary(_ options: PhoneBlockBinaryOptions) -> [UInt8] {
    var file = PhoneBlockBinaryList()
    var room = (options.maxBytes - PhoneBlockBinaryList.headerSize) / PhoneBlockBinaryList.recordSize
    let hasRanges = (1...PhoneBlockVotes.listed).contains(options.minRange)
    if hasRanges {
      for range in ranges.prefix(room) { file.append(prefix: range.first / range.size) }
      room -= min(room, ranges.count)
    }
    for caller in callers {
      guard room > 0 else { break }
      guard PhoneBlockVotes.votes(of: caller, at: time) >= options.minDirect else { continue }
      let isInRange = [1, 2].contains { ranges.contains(NumberRange(around: caller.number, digits: $0)) }
      if hasRanges, caller.cause == .range, isInRange { continue }
      file.append(caller.number)
      room -= 1
    }
    var bytes: [UInt8] = []
    file.encode(into: &bytes)
    return bytes
  }
}

/// The limits of a binary list, rounded to the steps that PhoneBlock has.
struct PhoneBlockBinaryOptions: Equatable, Sendable {
  private static let ranges = [0, 10, 20, 50, 100, 500]
  private static let bytes = [65_536, 131_072, 262_144, 393_216, 524_288]

  /// The minimum votes of a number.
  let minDirect: Int
  /// The minimum votes of a range; 0 for no ranges.
  let minRange: Int
  let maxBytes: Int

  /// - Parameters: nil for the defaults.
  init(minDirect: Int?, minRange: Int?, maxBytes: Int?) {
    let votes = PhoneBlockVotes.buckets
    self.minDirect = votes.first { $0 >= minDirect ?? 4 } ?? 100
    let range = minRange ?? self.minDirect
    self.minRange = Self.ranges.first { $0 >= range } ?? 500
    self.maxBytes = Self.bytes.last { $0 <= maxBytes ?? 262_144 } ?? 65_536
  }
}

extension PublicationStore {
  /// Requires that the database has the listings of a publication: its manifest is visible some seconds before.
  func requireListings(of serial: Int64) async throws {
    guard try await latest()?.serial ?? 0 >= serial else { throw Problem.unavailable }
  }
}

/// The approved ranges with their hashes, read again every few seconds: moderators approve each by hand, so there are few.
actor ApprovedRanges {
  /// The ranges at one time.
  struct Index: Sendable {
    fileprivate let hashes: [(range: NumberRange, hash: [UInt8])]
    private let ranges: Set<NumberRange>

    init(_ ranges: [NumberRange]) {
      hashes = ranges.map { ($0, NumberSHA1.of("+\($0.first / $0.size)")) }
      self.ranges = Set(ranges)
    }

    /// The ranges that contain a number.
    func around(_ number: Int64) -> [NumberRange] {
      [1, 2].map { NumberRange(around: number, digits: $0) }.filter(ranges.contains)
    }

    /// The ranges of a size whose digits have a hash that begins like this.
    /// - Parameter digits: 1 for ten numbers, 2 for a hundred.
    func matching(_ prefix: NumberSHA1Prefix?, digits: Int16) -> [NumberRange] {
      guard let prefix else { return [] }
      return hashes.filter { $0.range.digits == digits && prefix.matches($0.hash) }.map(\.range)
    }

    var all: [NumberRange] { hashes.map(\.range) }
  }

  private static let lifetime = Duration.seconds(10)

  private let store: CallerStore
  private var known: (index: Index, until: ContinuousClock.Instant)?
  private var reading: Task<Index, any Error>?

  init(store: CallerStore) {
    self.store = store
  }

  func index() async throws -> Index {
    if let known, known.until > .now { return known.index }
    if let reading { return try await reading.value }
    let task = Task { [store] in Index(try await store.approvedRanges()) }
    reading = task
    defer { reading = nil }
    let index = try await task.value
    known = (index, .now + Self.lifetime)
    return index
  }
}
