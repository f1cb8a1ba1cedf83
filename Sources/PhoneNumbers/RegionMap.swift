// SPDX-License-Identifier: Apache-2.0

/// The region of a number, by the longest prefix of its digits. A number is in one region at most.
///
/// A lookup is a binary search over adjacent intervals; it allocates no memory.
public struct RegionMap: Sendable {
  /// The reason why a map is invalid.
  public enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
    /// A prefix that no number of 15 digits begins with: not 1…999_999_999_999_999.
    case badPrefix(Int64)
    /// A prefix given twice.
    case duplicate(prefix: Int64, first: String, second: String)

    /// The cause, in a sentence.
    public var description: String {
      switch self {
      case .badPrefix(let prefix): "the prefix \(prefix) is not 1 to 15 digits"
      case .duplicate(let prefix, let first, let second):
        "the prefix \(prefix) is given twice, for \(first) and for \(second)"
      }
    }
  }

  /// The regions, each once, in alphabetical order.
  public let regions: [String]
  /// Starts of the intervals, in digits filled with zeros up to 15; ascending.
  private let starts: [Int64]
  /// The interval's region as an index into ``regions``; -1 for none.
  private let owners: [Int32]

  /// Creates a map; the longest matching prefix of a number counts.
  /// - Parameter prefixes: E.164 digits without the plus, in any order, each once.
  /// - Throws: ``Failure``.
  public init(prefixes: [(prefix: Int64, region: String)]) throws {
    regions = Set(prefixes.map(\.region)).sorted()
    let indices = Dictionary(uniqueKeysWithValues: zip(regions, Int32(0)...))
    var stretches: [Stretch] = []
    var seen: [Int64: String] = [:]
    for (prefix, region) in prefixes {
      guard PhoneNumber.digitsRange.contains(prefix) else { throw Failure.badPrefix(prefix) }
      if let first = seen.updateValue(region, forKey: prefix) {
        throw Failure.duplicate(prefix: prefix, first: first, second: region)
      }
      let unit = Self.filling(prefix)
      stretches.append(Stretch(start: prefix * unit, end: (prefix + 1) * unit, owner: indices[region] ?? -1))
    }
    (starts, owners) = Self.flattened(stretches)
  }

  /// The region of E.164 digits; nil where no prefix matches, or they are not 1…999_999_999_999_999.
  public func region(of number: Int64) -> String? {
    index(of: number).map { regions[$0] }
  }

  /// The region's index in ``regions``; nil in the same cases.
  public func index(of number: Int64) -> Int? {
    guard PhoneNumber.digitsRange.contains(number) else { return nil }
    let place = number * Self.filling(number)
    // The last interval that starts at or before the place.
    let stretch = starts.partitioningIndex { $0 > place } - 1
    guard stretch >= 0, owners[stretch] >= 0 else { return nil }
    return Int(owners[stretch])
  }

  /// The region's index of a number, and the last number of the same length from it on that has the same region without a
  /// gap.
  public func stretch(from number: Int64) -> (index: Int?, last: Int64) {
    guard PhoneNumber.digitsRange.contains(number) else { return (nil, .max) }
    let unit = Self.filling(number)
    let next = starts.partitioningIndex { $0 > number * unit }
    return (index(of: number), next < starts.count ? (starts[next] - 1) / unit : .max)
  }

  private struct Stretch {
    var start: Int64
    var end: Int64
    var owner: Int32
  }

  /// The factor that fills the digits up to 15.
  private static func filling(_ digits: Int64) -> Int64 {
    var factor: Int64 = 1
    while digits * factor < 100_000_000_000_000 { factor *= 10 }
    return factor
  }

  /// Converts nested intervals into disjoint ones: prefixes are nested or disjoint.
  private static func flattened(_ nested: [Stretch]) -> (starts: [Int64], owners: [Int32]) {
    var starts: [Int64] = []
    var owners: [Int32] = []
    var open: [Stretch] = []
    func begin(_ start: Int64, _ owner: Int32) {
      if starts.last == start {
        owners[owners.count - 1] = owner
      } else if owners.last != owner {
        starts.append(start)
        owners.append(owner)
      }
    }
    func close(before start: Int64) {
      while let last = open.last, last.end <= start {
        open.removeLast()
        begin(last.end, open.last?.owner ?? -1)
      }
    }
    for stretch in nested.sorted(by: { ($0.start, -$0.end) < ($1.start, -$1.end) }) {
      close(before: stretch.start)
      begin(stretch.start, stretch.owner)
      open.append(stretch)
    }
    close(before: .max)
    return (starts, owners)
  }
}

extension RegionMap {
  /// A map and its prefixes.
  final class Boxed: Sendable {
    let map: RegionMap
    let prefixes: [(prefix: Int64, region: String)]
    init(_ map: RegionMap, _ prefixes: [(prefix: Int64, region: String)]) {
      (self.map, self.prefixes) = (map, prefixes)
    }
  }

  /// The countries and territories of the current plans, ISO 3166-1 alpha-2 (and `AC`, `TA`, `XK`); nil for numbers without
  /// a country, such as +800.
  ///
  /// The prefixes are the shortest that tell apart the valid numbers of all regions, so that a valid number has the region of
  /// ``PhoneNumber/region``. Known exceptions: Canada's 310-xxxx in seven digits count as numbers of the United States, and
  /// digits that are not valid have the region of their prefix.
  public static var countries: RegionMap { NumberingPlans.current.regionMap }

  /// The prefixes of ``countries``.
  public static var countryPrefixList: [(prefix: Int64, region: String)] { NumberingPlans.current.regionPrefixes }

  /// The countries, overlaid by the operator's regions: the longest prefix counts, and of two equal ones the
  /// operator's.
  /// - Throws: ``Failure``.
  public static func countries(overlaidBy prefixes: [(prefix: Int64, region: String)]) throws -> RegionMap {
    let own = Set(prefixes.map(\.prefix))
    return try RegionMap(prefixes: prefixes + countryPrefixList.filter { !own.contains($0.prefix) })
  }
}

extension RandomAccessCollection {
  /// The index of the first element of the second part of a partitioned collection: elements for which a condition is
  /// false, followed by those for which it is true. ``endIndex`` where there are none.
  @inlinable
  package func partitioningIndex(where isInSecondPart: (Element) throws -> Bool) rethrows -> Index {
    var (low, count) = (startIndex, count)
    while count > 0 {
      let half = count / 2
      let middle = index(low, offsetBy: half)
      if try isInSecondPart(self[middle]) {
        count = half
      } else {
        low = index(after: middle)
        count -= half + 1
      }
    }
    return low
  }
}
