// SPDX-License-Identifier: Apache-2.0

import CallerPack

/// The entries of a pack in ascending order, without ranges of adjacent numbers that an extension has no room for.
final class LimitedPack {
  private let cursor: PackCursor?
  private var ranges: PackRanges?
  private var rest: ClosedRange<Int64>?
  private let longest: Int
  private(set) var number: Int64 = 0

  /// - Parameters:
  ///   - first: the first number.
  ///   - longest: the most numbers of a range that is not left out; nil for all.
  init(_ reader: PackReader, from first: Int64, longest: Int?) throws {
    self.longest = longest ?? .max
    if longest == nil {
      cursor = try reader.makeCursor(from: first)
    } else {
      cursor = nil
      ranges = try PackRanges(reader)
      while let range = try nextRange() {
        guard range.upperBound >= first else { continue }
        rest = max(first, range.lowerBound)...range.upperBound
        break
      }
    }
  }

  /// Moves to the next entry; false at the end.
  func next() throws -> Bool {
    if let cursor {
      guard try cursor.next() else { return false }
      number = cursor.number
      return true
    }
    if rest == nil { rest = try nextRange() }
    guard let range = rest else { return false }
    number = range.lowerBound
    rest = number < range.upperBound ? number + 1...range.upperBound : nil
    return true
  }

  private func nextRange() throws -> ClosedRange<Int64>? {
    while let range = try ranges?.next() {
      if range.count <= longest { return range }
    }
    return nil
  }

  /// The roles of the entry.
  var roles: PackRoles { cursor?.roles ?? ranges?.roles ?? .blocks }

  /// Appends the UTF-8 of the entry's label.
  func appendLabel(to label: inout [UInt8]) {
    if let cursor {
      cursor.withLabel { label.append(contentsOf: $0) }
    } else {
      label.append(contentsOf: ranges?.label ?? [])
    }
  }
}

/// The ranges of packs that an extension has no room for. Adjacent numbers of a rule have less evidence than numbers that
/// are listed by themselves, and numbers of a long range less than numbers of a short one.
struct RangeLimit: Equatable {
  /// The most numbers of a range that is loaded; nil for all.
  var longest: Int?
  /// The entries that are left out.
  var leftOut = 0

  /// Shorter ranges are loaded whatever the limit is: their numbers may be listed by themselves.
  private static let shortest = 100

  /// - Parameter maximum: the most entries of an extension.
  init(_ packs: [PackReader], maximum: Int) throws {
    var total = packs.reduce(0) { $0 + $1.header.entryCount }
    guard total > maximum else { return }
    var counts: [Int: Int] = [:]
    for pack in packs {
      try pack.forEachRange { numbers, _, _ in
        if numbers.count >= Self.shortest { counts[numbers.count, default: 0] += 1 }
      }
    }
    for (size, count) in counts.sorted(by: { $0.key > $1.key }) where total > maximum {
      total -= size * count
      leftOut += size * count
      longest = size - 1
    }
  }
}
