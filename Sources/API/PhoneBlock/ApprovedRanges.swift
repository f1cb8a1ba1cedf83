// SPDX-License-Identifier: Apache-2.0

import Curation
import Storage

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
