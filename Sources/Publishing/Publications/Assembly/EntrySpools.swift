// SPDX-License-Identifier: Apache-2.0

import Curation

/// Temporary files of listed numbers and directory entries, both ascending. They can be merged any number of times.
final class EntrySpools {
  private let spool: BlockSpool
  private let listed: Int
  private let directory: Int
  private var lastListed: Int64 = 0
  private var lastEntry: Int64 = 0
  private(set) var listedCount = 0
  private(set) var directoryCount = 0

  init(folder: String) throws {
    spool = try BlockSpool(folder: folder, blockBytes: 256 << 10)
    listed = spool.addStream()
    directory = spool.addStream()
  }

  func append(_ numbers: [ListedNumber]) throws {
    for item in numbers {
      guard item.number > lastListed else {
        throw AssemblyError.notAscending(source: "listed numbers", number: item.number, after: lastListed)
      }
      lastListed = item.number
      guard (item.label?.utf8.count ?? 0) <= UInt16.max else { throw AssemblyError.textTooLong(number: item.number) }
      try spool.append(to: listed) { bytes in
        bytes.append(littleEndian: item.number)
        bytes.append(littleEndian: item.category.rawValue)
        bytes.append(item.treatment.rawValue)
        bytes.append(item.cause.rawValue)
        bytes.append(littleEndian: item.heat.bitPattern)
        bytes.append(littleEndian: item.evidence.bitPattern)
        bytes.append(littleEndian: item.identifications.bitPattern)
        bytes.append(littleEndian: Int32(clamping: item.reporters))
        bytes.append(spooling: item.label ?? "")
      }
    }
    listedCount += numbers.count
  }

  func append(_ entries: [DirectoryEntry]) throws {
    for entry in entries {
      guard entry.number > lastEntry else {
        throw AssemblyError.notAscending(source: "directory", number: entry.number, after: lastEntry)
      }
      lastEntry = entry.number
      guard entry.name.utf8.count <= UInt16.max else { throw AssemblyError.textTooLong(number: entry.number) }
      try spool.append(to: directory) { bytes in
        bytes.append(littleEndian: entry.number)
        bytes.append(littleEndian: entry.identifications.bitPattern)
        bytes.append(spooling: entry.name)
      }
    }
    directoryCount += entries.count
  }

  /// Calls `body` with every number in ascending order. The value is valid only during the call.
  ///
  /// Numbers of ranges that are neither listed by themselves nor named come as ranges.
  func forEachMerged(with ranges: RangeEntries, _ body: (borrowing MergedNumber) throws -> Void) throws {
    let listed = try spool.reader(of: listed)
    let directory = try spool.reader(of: directory)
    var item = try ListedRecord(listed)
    var entry = try DirectoryRecord(directory)
    var (place, next) = (0, ranges.ranges.first?.numbers.lowerBound ?? .max)
    func advance(past number: Int64) {
      next = number + 1
      guard next > ranges.ranges[place].numbers.upperBound else { return }
      place += 1
      next = place < ranges.ranges.count ? ranges.ranges[place].numbers.lowerBound : .max
    }
    while item != nil || entry != nil || next < .max {
      let number = min(item?.number ?? .max, entry?.number ?? .max)
      while next < number {
        let last = min(ranges.ranges[place].numbers.upperBound, number - 1)
        try body(ranges.entry(place, next...last))
        advance(past: last)
      }
      guard number < .max else { break }
      if next == number { advance(past: number) }
      let isListed = item?.number == number
      let isNamed = entry?.number == number
      // A rule does not block what a directory names.
      if isListed, isNamed, item?.cause == .range { item?.treatment = .identify }
      try body(
        MergedNumber(
          number: number, last: number, rule: nil, listed: isListed ? item : nil, entry: isNamed ? entry : nil))
      if isListed { item = try ListedRecord(listed) }
      if isNamed { entry = try DirectoryRecord(directory) }
    }
  }
}

/// A number with its listing and directory entry, or the numbers of a range that have none.
struct MergedNumber {
  var number: Int64
  /// The last number of a range.
  var last: Int64
  /// The place of the rule of a range; nil for a single number.
  var rule: Int?
  var listed: ListedRecord?
  var entry: DirectoryRecord?
}

/// The ranges that rules list, ascending and without overlaps, with the labels of the rules.
final class RangeEntries {
  let ranges: [RuledRange]
  let rules: [RangeRule]
  private let labels: [UnsafeMutableRawBufferPointer]

  init(_ ranges: [RuledRange], by rules: [RangeRule]) {
    (self.ranges, self.rules) = (ranges, rules)
    labels = rules.map { rule in
      let bytes = Array((rule.label ?? "").utf8)
      let label = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      label.copyBytes(from: bytes)
      return label
    }
  }

  deinit { for label in labels { label.deallocate() } }

  func entry(_ place: Int, _ numbers: ClosedRange<Int64>) -> MergedNumber {
    let (range, rule) = (ranges[place], rules[ranges[place].rule])
    let record = ListedRecord(
      number: numbers.lowerBound, category: rule.category, treatment: range.treatment, cause: .range, heat: 0,
      evidence: 0, identifications: 0, reporters: 0, label: UnsafeRawBufferPointer(labels[range.rule]))
    return MergedNumber(number: numbers.lowerBound, last: numbers.upperBound, rule: range.rule, listed: record)
  }
}

/// A listed number in the spool.
struct ListedRecord {
  var number: Int64
  var category: ReportCategory
  var treatment: ListedNumber.Treatment
  var cause: ListedNumber.Cause
  var heat: Double
  var evidence: Double
  var identifications: Double
  /// Number of reporters where their reports identify the number and do not block it; otherwise 0.
  var reporters: Int32
  /// The moderator's label; empty if there is none.
  var label: UnsafeRawBufferPointer

}

extension ListedRecord {
  /// Reads the next record; nil at the end.
  fileprivate init?(_ reader: BlockReader) throws {
    guard try reader.hasMore() else { return nil }
    number = reader.integer()
    category = ReportCategory(rawValue: reader.integer()) ?? .other
    treatment = ListedNumber.Treatment(rawValue: reader.integer()) ?? .identify
    cause = ListedNumber.Cause(rawValue: reader.integer()) ?? .reports
    heat = reader.double()
    evidence = reader.double()
    identifications = reader.double()
    reporters = reader.integer()
    label = reader.take(Int(reader.integer(UInt16.self)))
  }
}

/// A directory entry in the spool.
struct DirectoryRecord {
  var number: Int64
  var identifications: Double
  var name: UnsafeRawBufferPointer

  /// Reads the next record; nil at the end.
  fileprivate init?(_ reader: BlockReader) throws {
    guard try reader.hasMore() else { return nil }
    number = reader.integer()
    identifications = reader.double()
    name = reader.take(Int(reader.integer(UInt16.self)))
  }
}

/// The best N of many entries: by score, highest first, then by number, lowest first.
///
/// A binary heap whose root is the last of the N; at most N entries of 16 bytes.
struct BestEntries {
  /// An entry's position in the order.
  struct Rank {
    var score: Double
    var number: Int64

    func isBehind(_ other: Rank) -> Bool {
      score != other.score ? score < other.score : number > other.number
    }
  }

  private let limit: Int
  private var heap: [Rank] = []

  /// - Parameter limit: N, at least 1.
  init(limit: Int) {
    self.limit = limit
  }

  /// The last of the N entries if there are N; entries after it are excluded.
  var last: Rank? { heap.count == limit ? heap.first : nil }

  mutating func add(_ rank: Rank) {
    if heap.count < limit {
      heap.append(rank)
      rise()
    } else if heap[0].isBehind(rank) {
      heap[0] = rank
      sink()
    }
  }

  private mutating func rise() {
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBehind(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func sink() {
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < heap.count else { return }
      let child = left + 1 < heap.count && heap[left + 1].isBehind(heap[left]) ? left + 1 : left
      guard heap[child].isBehind(heap[parent]) else { return }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}
