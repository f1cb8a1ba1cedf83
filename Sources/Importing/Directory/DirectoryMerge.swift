// SPDX-License-Identifier: Apache-2.0

import Storage

/// Merges sorted runs, and chooses the name of each number: the one in most rows; of equally frequent ones the first in
/// the file.
struct DirectoryMerge {
  /// Numbers with different names.
  struct Conflicts: Sendable, Equatable {
    /// Numbers with more than one name.
    var numbers = 0
    /// Rows whose name was not chosen.
    var rows = 0
    var examples: [DirectorySummary.Conflict] = []
  }

  private struct Name {
    var bytes: [UInt8]
    var rows = 0
    var line: Int
    var category: [UInt8]
  }

  private static let examples = 5

  /// By number and line.
  private var heap: RunHeap<RunReader>
  private(set) var conflicts = Conflicts()
  private(set) var rows = 0
  private(set) var numbers = 0

  init(file: TemporaryFile, runs: [Range<Int>]) throws {
    heap = RunHeap(try runs.map { RunReader(file: file, run: $0) }.filter { try $0.advance() })
  }

  /// The next numbers with their names, at most `limit`; empty at the end.
  mutating func next(_ limit: Int) throws -> DirectoryRows {
    var settled = DirectoryRows()
    settled.reserve(min(limit, Self.reserved))
    while settled.count < limit, let first = heap.first {
      if isAlone(first) {
        rows += 1
        settled.append(first.number, mentions: 1, name: first.name, category: first.category)
        try heap.advance()
      } else {
        try settle(first.number, into: &settled)
      }
    }
    numbers += settled.count
    return settled
  }

  private static let reserved = 8_192
  /// The most distinct names that are compared for one number; further ones are ignored.
  private static let mostNames = 1_000

  /// Whether the first row is the only one of its number, as most are; false where the next row is not in memory.
  private func isAlone(_ first: RunReader) -> Bool {
    guard first.isOtherNext else { return false }
    return !heap.entries[1..<min(3, heap.entries.count)].contains { $0.order.number == first.number }
  }

  private mutating func settle(_ number: Int64, into settled: inout DirectoryRows) throws {
    var names: [Name] = []
    while let reader = heap.first, reader.number == number {
      rows += 1
      if let index = names.firstIndex(where: { $0.bytes.elementsEqual(reader.name) }) {
        names[index].rows += 1
        if names[index].category.isEmpty { names[index].category = Array(reader.category) }
      } else if names.count < Self.mostNames {
        names.append(
          Name(bytes: Array(reader.name), rows: 1, line: reader.line, category: Array(reader.category)))
      }
      try heap.advance()
    }
    // Rows of one number are in the order of lines: of equally frequent names the first is chosen.
    var best = 0
    for index in names.indices where names[index].rows > names[best].rows { best = index }
    if names.count > 1 { note(number, names, best) }
    let name = names[best]
    name.bytes.withUnsafeBytes { text in
      name.category.withUnsafeBytes { category in
        settled.append(number, mentions: Int32(clamping: name.rows), name: text, category: category)
      }
    }
  }

  private mutating func note(_ number: Int64, _ names: [Name], _ best: Int) {
    conflicts.numbers += 1
    conflicts.rows += names.reduce(0) { $0 + $1.rows } - names[best].rows
    guard conflicts.examples.count < Self.examples else { return }
    let other = names[best == 0 ? 1 : 0]
    conflicts.examples.append(
      DirectorySummary.Conflict(
        number: number, kept: String(decoding: names[best].bytes, as: UTF8.self),
        other: String(decoding: other.bytes, as: UTF8.self), names: names.count))
  }
}
