// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation

/// The evidence for the listed numbers of a publication, ascending, in an unnamed temporary file.
///
/// Memory: the position of every ``rowsInBlock``th row.
struct ProvenanceSpool: Sendable {
  /// Some rows that follow each other.
  struct Block: Sendable {
    /// The number of the first row.
    var first: Int64
    var offset: Int
    var count: Int
  }

  static let rowsInBlock = 4_096

  private let source: PackSource
  private let blocks: [Block]
  /// The ranges that rules of this server list, ascending.
  var ranges: [RangeProvenance] = []

  /// Writes the file from rows in ascending order.
  final class Writer {
    private let sink: PackSink
    private var blocks: [Block] = []
    private var pending: [UInt8] = []
    private var rows = 0

    init(folder: String) throws {
      sink = try PackSink(path: "\(folder)/evidence.spool")
      sink.forgetName()
    }

    deinit { sink.cancel() }

    func append(_ evidence: NumberProvenance) throws {
      if rows % ProvenanceSpool.rowsInBlock == 0 {
        try flush()
        blocks.append(Block(first: evidence.number, offset: sink.count, count: 0))
      }
      rows += 1
      pending.append(littleEndian: evidence.number)
      pending.append(littleEndian: evidence.category.rawValue)
      pending.append(evidence.treatment.rawValue)
      pending.append(littleEndian: Int16(evidence.strength ?? 0))
      pending.append(littleEndian: evidence.lastDay ?? .min)
      pending.append(UInt8(clamping: evidence.hops))
      pending.append(littleEndian: UInt16(evidence.origins.count))
      for origin in evidence.origins { pending.append(littleEndian: origin.value) }
    }

    private func flush() throws {
      guard let last = blocks.indices.last else { return }
      blocks[last].count = pending.count
      try sink.write(pending)
      pending.removeAll(keepingCapacity: true)
    }

    func finish() throws -> ProvenanceSpool {
      try flush()
      return ProvenanceSpool(source: try sink.source(), blocks: blocks)
    }
  }

  private init(source: PackSource, blocks: [Block]) {
    self.source = source
    self.blocks = blocks
  }

  /// Creates a reader of the rows from about a number on.
  func reader(from number: Int64) -> Reader {
    let start = blocks.lastIndex { $0.first <= number } ?? 0
    return Reader(BlockReader(source: source, blocks: blocks[start...].map { ($0.offset, $0.count) }))
  }

  final class Reader {
    private let reader: BlockReader
    private var pending: NumberProvenance?

    fileprivate init(_ reader: BlockReader) {
      self.reader = reader
    }

    /// Returns the row of a number; nil if there is none. Numbers of later calls must be greater.
    func evidence(of number: Int64) throws -> NumberProvenance? {
      while true {
        if pending == nil { pending = try next() }
        guard let row = pending, row.number <= number else { return nil }
        pending = nil
        if row.number == number { return row }
      }
    }

    private func next() throws -> NumberProvenance? {
      guard try reader.hasMore() else { return nil }
      let number = reader.integer(Int64.self)
      let category = ReportCategory(rawValue: reader.integer()) ?? .other
      let treatment = ListedNumber.Treatment(rawValue: reader.integer()) ?? .identify
      let strength = reader.integer(Int16.self)
      let day = reader.integer(Int32.self)
      let hops = Int(reader.integer(UInt8.self))
      let origins = (0..<reader.integer(UInt16.self)).map { _ in ServerID(value: reader.integer()) }
      return NumberProvenance(
        number: number, category: category, treatment: treatment, strength: strength == 0 ? nil : Int(strength),
        lastDay: day == .min ? nil : day, origins: origins, hops: hops)
    }
  }
}
