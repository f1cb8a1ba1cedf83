// SPDX-License-Identifier: Apache-2.0

extension PackReader {
  /// Calls `body` with the numbers of the pack as ranges, in ascending order: each has numbers that follow each other,
  /// the same roles and the same label, and is as long as possible.
  ///
  /// A pack of prefixes has few ranges for millions of numbers. An app whose system matches patterns never needs to visit
  /// each number.
  ///
  /// ```swift
  /// try reader.forEachRange { numbers, _, _ in print(numbers.lowerBound, numbers.upperBound) }
  /// ```
  /// - Parameter body: receives the numbers, their roles, and the UTF-8 of their label, which is valid inside `body` only
  ///   and empty for numbers that are only blocked.
  /// - Throws: ``PackError`` when a block cannot be read, and the errors of `body`.
  public func forEachRange(
    _ body: (ClosedRange<Int64>, PackRoles, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var ranges = try PackRanges(self)
    while let numbers = try ranges.next() { try ranges.label.withUnsafeBytes { try body(numbers, ranges.roles, $0) } }
  }
}

/// Walks the ranges of a pack in ascending order; see ``PackReader/forEachRange(_:)``.
package struct PackRanges {
  private let cursor: PackCursor
  private var hasMore: Bool
  /// The roles of the current range.
  package private(set) var roles: PackRoles = .blocks
  /// The label of the current range; empty for none.
  package private(set) var label: [UInt8] = []

  package init(_ reader: PackReader) throws(PackError) {
    cursor = try reader.makeCursor()
    hasMore = try cursor.next()
  }

  /// Moves to the next range; nil at the end.
  package mutating func next() throws(PackError) -> ClosedRange<Int64>? {
    guard hasMore else { return nil }
    let first = cursor.number
    roles = cursor.roles
    cursor.withLabel { label.replaceSubrange(0..<label.count, with: $0) }
    var last = cursor.skipFollowing()
    hasMore = try cursor.next()
    while hasMore, cursor.number == last + 1, cursor.roles == roles, hasSameLabel() {
      last = cursor.skipFollowing()
      hasMore = try cursor.next()
    }
    return first...last
  }

  private func hasSameLabel() -> Bool { cursor.withLabel { $0.elementsEqual(label) } }
}

extension PackCursor {
  /// Moves to the last of the entries that follow the current one in its block without a gap, where entries have no labels.
  /// - Returns: its number.
  fileprivate func skipFollowing() -> Int64 {
    guard !state.pointee.hasLabels else { return number }
    let (numbers, count) = (state.pointee.numbers, state.pointee.count)
    var position = state.pointee.position
    // Mostly all numbers up to the end of the block follow each other.
    if numbers[count - 1] &- numbers[position] == Int64(count &- 1 &- position) {
      position = count - 1
    } else {
      while position + 1 < count, numbers[position + 1] == numbers[position] + 1 { position += 1 }
    }
    state.pointee.position = position
    return numbers[position]
  }
}
