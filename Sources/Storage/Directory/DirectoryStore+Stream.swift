// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

extension DirectoryStore {
  /// Passes every number of the directory to `body`, once, in ascending order, with the name of the source with
  /// precedence; of sources with equal priority, the name with more rows wins, then the name of the older source.
  /// - Parameters:
  ///   - time: the time for which heat is calculated.
  ///   - connection: inside a transaction that sees one snapshot throughout (repeatable read).
  /// - Throws: ``StorageError/directoryChanged(source:)`` when a source was replaced during the transaction; start
  ///   again.
  public static func forEachEntry(
    at time: Date, on connection: PostgresConnection, _ body: @Sendable ([DirectoryEntry]) async throws -> Void
  ) async throws {
    let sources = try await connection.run(SQL.readDirectorySources())
    guard !sources.isEmpty else { return }
    var settling = DirectorySettling(sources: sources)
    var heats = HeatCursor(connection.stream(SQL.readIdentificationHeats()).batches, at: time)
    let statement = SQL.readDirectoryEntries(generations: sources.compactMap(\.generation))
    for try await batch in connection.stream(statement, batchSize: 4_000).batches {
      var entries = settling.take(batch)
      for index in entries.indices { entries[index].identifications = try await heats.value(of: entries[index].number) }
      if !entries.isEmpty { try await body(entries) }
    }
    if var last = settling.finish() {
      last.identifications = try await heats.value(of: last.number)
      try await body([last])
    }
    if let source = settling.incomplete { throw StorageError.directoryChanged(source: source) }
  }
}

/// Chooses the name of the source with precedence, among entries in ascending order of number.
struct DirectorySettling {
  private let sources: [Int32: (rank: Int, priority: Int32, source: DirectorySource)]
  private var counts: [Int32: Int64] = [:]
  private var best: GenerationEntry?

  /// - Parameter sources: those with precedence first, each with a generation.
  init(sources: [DirectorySource]) {
    var byGeneration: [Int32: (rank: Int, priority: Int32, source: DirectorySource)] = [:]
    for (rank, source) in sources.enumerated() {
      if let generation = source.generation { byGeneration[generation] = (rank, source.priority, source) }
    }
    self.sources = byGeneration
  }

  /// Takes entries; returns the numbers that are complete because a greater one followed.
  mutating func take(_ batch: [GenerationEntry]) -> [DirectoryEntry] {
    var settled: [DirectoryEntry] = []
    settled.reserveCapacity(batch.count)
    for entry in batch {
      counts[entry.generation, default: 0] += 1
      guard let former = best else {
        best = entry
        continue
      }
      if former.stored.number != entry.stored.number {
        settled.append(DirectoryEntry(former.stored))
        best = entry
      } else if wins(entry, over: former) {
        best = entry
      }
    }
    return settled
  }

  /// The last number.
  mutating func finish() -> DirectoryEntry? {
    defer { best = nil }
    return best.map { DirectoryEntry($0.stored) }
  }

  private func wins(_ entry: GenerationEntry, over former: GenerationEntry) -> Bool {
    guard let new = sources[entry.generation], let old = sources[former.generation] else { return false }
    return (new.priority, -entry.stored.mentions, new.rank) < (old.priority, -former.stored.mentions, old.rank)
  }

  /// A source of which entries are missing.
  var incomplete: String? {
    sources.first { $0.value.source.entries != counts[$0.key, default: 0] }?.value.source.name
  }
}

extension DirectoryEntry {
  fileprivate init(_ stored: StoredDirectoryEntry) {
    self.init(number: stored.number, name: stored.name, category: stored.category)
  }
}

/// Reads the heat of calls by number in step with another stream of ascending numbers.
private struct HeatCursor<Batches: AsyncSequence> where Batches.Element == [(number: Int64, heat: Double)] {
  private var batches: Batches.AsyncIterator
  private var batch: [(number: Int64, heat: Double)] = []
  private var at = 0
  private var isOver = false
  private let scale: Double

  init(_ batches: Batches, at time: Date) {
    self.batches = batches.makeAsyncIterator()
    scale = Decay.heat.scale(at: time)
  }

  /// The decayed heat of a number's calls; numbers must be requested in ascending order.
  mutating func value(of number: Int64) async throws -> Double {
    while true {
      while at < batch.count, batch[at].number < number { at += 1 }
      if at < batch.count { return batch[at].number == number ? batch[at].heat / scale : 0 }
      guard !isOver, let more = try await batches.next() else {
        isOver = true
        return 0
      }
      (batch, at) = (more, 0)
    }
  }
}

/// Entries of a source before they are copied into the database. There are millions, so their texts are stored one
/// after the other as bytes.
public struct DirectoryRows: Sendable {
  struct Row {
    var number: Int64
    var mentions: Int32
    var nameEnd: Int
    var end: Int
  }

  private var texts: [UInt8] = []
  private var rows: [Row] = []

  public init() {}

  public var count: Int { rows.count }
  public var isEmpty: Bool { rows.isEmpty }

  public mutating func reserve(_ count: Int) {
    rows.reserveCapacity(count)
    texts.reserveCapacity(count * 32)
  }

  /// Appends an entry; ``StoredDirectoryEntry`` describes its parts.
  /// - Parameters:
  ///   - name: UTF-8.
  ///   - category: UTF-8; empty where the source has none.
  public mutating func append(
    _ number: Int64, mentions: Int32, name: UnsafeRawBufferPointer, category: UnsafeRawBufferPointer
  ) {
    texts.append(contentsOf: name)
    let nameEnd = texts.count
    texts.append(contentsOf: category)
    rows.append(Row(number: number, mentions: mentions, nameEnd: nameEnd, end: texts.count))
  }

  func forEach(
    _ body: (_ row: Row, _ name: UnsafeRawBufferPointer, _ category: UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    try texts.withUnsafeBytes { bytes in
      var start = 0
      for row in rows {
        try body(
          row, UnsafeRawBufferPointer(rebasing: bytes[start..<row.nameEnd]),
          UnsafeRawBufferPointer(rebasing: bytes[row.nameEnd..<row.end]))
        start = row.end
      }
    }
  }

  /// The rows in the COPY format of a generation's table.
  func encoded() throws -> PostgresCopyRows {
    var encoded = PostgresCopyRows(capacity: texts.count + rows.count * 34)
    try forEach { row, name, category in
      try encoded.append { tuple in
        tuple.append(row.number)
        tuple.append(row.mentions)
        tuple.append(text: name)
        if category.isEmpty { tuple.append(String?.none) } else { tuple.append(text: category) }
      }
    }
    return encoded
  }
}
