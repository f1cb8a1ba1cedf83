// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PackFormats
import PhoneNumbers
import Storage

/// Binary block lists of the numbers with the most heat, kept for some minutes while the publication stays.
actor PhoneBlockBinaries {
  /// The limits of a list, rounded to the steps that PhoneBlock has.
  struct Options: Hashable, Sendable {
    private static let ranges = [0, 10, 20, 50, 100, 500]
    private static let bytes = [65_536, 131_072, 262_144, 393_216, 524_288]

    /// The least votes of a number.
    let minDirect: Int
    /// The least votes of a range; 0 for no ranges.
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

  private struct Entry {
    let serial: Int64
    let until: ContinuousClock.Instant
    let task: Task<[UInt8], any Error>
  }

  private static let lifetime = Duration.seconds(600)
  /// The most lists in memory, of 512 KB at most.
  private static let mostLists = 16

  private let callers: CallerStore
  private let region: PhoneRegion?
  private var known: [Options: Entry] = [:]

  /// - Parameter region: nil for the numbers of all regions.
  init(callers: CallerStore, region: PhoneRegion?) {
    self.callers = callers
    self.region = region
  }

  /// - Parameter serial: that of the newest publication.
  func list(_ options: Options, serial: Int64) async throws -> [UInt8] {
    known = known.filter { $0.value.serial == serial && $0.value.until > .now }
    if let entry = known[options] { return try await entry.task.value }
    if known.count >= Self.mostLists { known.removeAll() }
    let task = Task { [callers, region] in try await Self.make(options, callers: callers, region: region) }
    known[options] = Entry(serial: serial, until: .now + Self.lifetime, task: task)
    do {
      return try await task.value
    } catch {
      known[options] = nil
      throw error
    }
  }

  /// Ranges are kept; of the numbers, those with the most heat that have room. Only ranges whose numbers are all listed
  /// are prefixes, so no number has to be allowed.
  private static func make(_ options: Options, callers: CallerStore, region: PhoneRegion?) async throws -> [UInt8] {
    let code = region.map { "\($0.callingCode)" } ?? ""
    let approved = try await callers.approvedRanges().filter { "\($0.first)".hasPrefix(code) }
    var complete: Set<NumberRange> = []
    for start in stride(from: 0, to: approved.count, by: 500) {
      complete.formUnion(try await callers.complete(Array(approved[start..<min(start + 500, approved.count)])))
    }
    var file = PBBLFile()
    var room = (options.maxBytes - PBBLFile.headerSize) / PBBLFile.recordSize
    if (1...PhoneBlockVotes.listed).contains(options.minRange) {
      for range in complete.prefix(room) { file.append(prefix: range.first / range.size) }
      room -= min(room, complete.count)
    }
    // Every listed number has this many votes.
    let least = options.minDirect > PhoneBlockVotes.listed ? Double(options.minDirect) - 0.5 : nil
    for caller in try await callers.hottest(room, prefix: code, evidence: least, at: Date()) {
      let isInRange = [1, 2].contains { complete.contains(NumberRange(around: caller.number, digits: $0)) }
      if caller.cause == .range, isInRange { continue }
      file.append(caller.number)
    }
    var bytes: [UInt8] = []
    file.encode(into: &bytes)
    return bytes
  }
}
