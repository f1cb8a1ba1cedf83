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
    let serial: Int64
    /// The highest heat first.
    let callers: [ListedCaller]
    /// The ranges that rules list, without numbers that may not be blocked since.
    let ranges: [ClosedRange<Int64>]
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
    prefix = CallerStore.prefix(of: region)
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
    let listed = try await callers.blockedRanges().filter { "\($0.lowerBound)".hasPrefix(prefix) }
    let ranges = RangeMerge.subtract(try await callers.disputed(in: listed), from: listed)
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
    var prefixed: [ClosedRange<Int64>] = []
    if hasRanges {
      // Clients read a prefix as any further digits: numbers of other lengths must not begin so.
      let blocks = ranges.flatMap(\.decimalBlocks).filter { block in
        let digits = String(block.prefix).utf8.count + block.wildcards
        return block.wildcards > 0 && NumberingPlan.lengths(of: block.prefix) == [digits]
      }.sorted { $0.wildcards > $1.wildcards }
      for block in blocks.prefix(room) {
        file.append(prefix: block.prefix)
        let size = (0..<block.wildcards).reduce(Int64(1)) { size, _ in size * 10 }
        prefixed.append(block.prefix * size...block.prefix * size + size - 1)
      }
      prefixed.sort { $0.lowerBound < $1.lowerBound }
      room -= min(room, blocks.count)
    }
    for caller in callers {
      guard room > 0 else { break }
      guard PhoneBlockVotes.votes(of: caller, at: time) >= options.minDirect else { continue }
      if !prefixed.overlapping(caller.number...caller.number).isEmpty { continue }
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

/// The ranges that rules list, with the hashes of their blocks of ten and a hundred; read again with each publication.
actor ListedRanges {
  /// A block of ten or a hundred numbers that are all listed.
  struct Block: Sendable, Hashable {
    let prefix: Int64
    /// Free digits: 1 or 2.
    let digits: Int

    var numbers: ClosedRange<Int64> {
      let size: Int64 = digits == 1 ? 10 : 100
      return prefix * size...prefix * size + size - 1
    }
  }

  /// The ranges of one publication. A block takes 16 bytes and less than 1 µs; 16,700,000 numbers have 167,000 of them.
  struct Index: Sendable {
    private let ranges: [ClosedRange<Int64>]
    /// Ascending by the first eight bytes of their hashes. Tens are among them only outside complete hundreds.
    private let blocks: [(hash: Int64, block: Block)]

    init(_ ranges: [ClosedRange<Int64>]) {
      self.ranges = ranges
      blocks = ranges.flatMap(Self.blocks).map { (NumberSHA1.stored("+\($0.prefix)"), $0) }.sorted { $0.0 < $1.0 }
    }

    private static func blocks(of range: ClosedRange<Int64>) -> [Block] {
      func all(_ size: Int64, _ digits: Int, in numbers: ClosedRange<Int64>) -> [Block] {
        let (first, last) = ((numbers.lowerBound + size - 1) / size, (numbers.upperBound + 1) / size - 1)
        return first <= last ? (first...last).map { Block(prefix: $0, digits: digits) } : []
      }
      let hundreds = all(100, 2, in: range)
      let inside = hundreds.first.flatMap { first in
        hundreds.last.map { first.numbers.lowerBound...$0.numbers.upperBound }
      }
      return hundreds + RangeMerge.subtract([inside].compactMap(\.self), from: range).flatMap { all(10, 1, in: $0) }
    }

    /// The widest block of ten or a hundred around a number, where all its numbers are listed.
    func around(_ number: Int64) -> Block? {
      guard let range = ranges.overlapping(number...number).first else { return nil }
      return [2, 1].map { Block(prefix: number / ($0 == 1 ? 10 : 100), digits: $0) }.first {
        range.lowerBound <= $0.numbers.lowerBound && $0.numbers.upperBound <= range.upperBound
      }
    }

    /// The blocks of a size whose digits have a hash that begins like this.
    /// - Parameter digits: 1 for ten numbers, 2 for a hundred.
    func matching(_ prefix: NumberSHA1Prefix?, digits: Int) -> [Block] {
      guard let prefix else { return [] }
      let (least, greatest) = prefix.bounds
      var (low, count) = (0, blocks.count)
      while count > 0, case let half = count / 2 {
        if blocks[low + half].hash < least { (low, count) = (low + half + 1, count - half - 1) } else { count = half }
      }
      return blocks[low...].prefix { $0.hash <= greatest }.map(\.block).filter {
        $0.digits == digits && prefix.matches(NumberSHA1.of("+\($0.prefix)"))
      }
    }
  }

  private let store: CallerStore
  private var known: (serial: Int64, index: Index)?
  private var reading: Task<(serial: Int64, index: Index), any Error>?

  init(store: CallerStore) {
    self.store = store
  }

  func index() async throws -> Index {
    let serial = try await store.serial()
    if let known, known.serial == serial { return known.index }
    if let reading { return try await reading.value.index }
    let task = Task { [store] in (serial: serial, index: Index(try await store.blockedRanges())) }
    reading = task
    defer { reading = nil }
    known = try await task.value
    return try await task.value.index
  }
}
