// SPDX-License-Identifier: Apache-2.0

/// Writes the bytes of a pack from its header, its dictionary and its entries.
///
/// The same header, dictionary and entries always give the same bytes, so applying a delta gives the successor bit for
/// bit. Writers check entries before they pass them on; the encoder does not.
package final class PackEncoder {
  /// A dictionary in its stored and its loaded form.
  package struct Dictionary {
    package var stored: [UInt8]
    package var checksum: UInt32
    package var loaded: PackDictionary
    package var tokens: Int

    package init(stored: [UInt8], checksum: UInt32, loaded: PackDictionary, tokens: Int) {
      self.stored = stored
      self.checksum = checksum
      self.loaded = loaded
      self.tokens = tokens
    }
  }

  private var header: PackHeader
  private let sink: PackSink
  private let dictionaryChecksum: UInt32
  private var encoder: LabelEncoder?
  private var numbers: [Int64] = []
  private var labels = BitWriter()
  private var index: [UInt8] = []
  private var pending: (first: Int64, numbers: [Int64], labels: [UInt8])?
  private var first: Int64?

  /// Starts a pack. The encoder computes the header's counts, sizes and maxima and takes the other fields of `header`.
  package init(_ header: PackHeader, _ dictionary: Dictionary?, into sink: PackSink) throws(PackError) {
    self.header = header
    self.sink = sink
    self.header.entryCount = 0
    self.header.blockingCount = 0
    self.header.identificationCount = 0
    self.header.blockCount = 0
    self.header.lastNumber = 0
    self.header.maximumBlockBytes = 0
    self.header.maximumLabelBytes = 0
    self.header.dictionaryStoredBytes = dictionary?.stored.count ?? 0
    self.header.dictionaryTextBytes = dictionary?.loaded.textBytes ?? 0
    self.header.dictionaryTokens = dictionary?.tokens ?? 0
    dictionaryChecksum = dictionary?.checksum ?? 0
    encoder = dictionary.map { LabelEncoder($0.loaded, kind: header.kind) }
    try sink.write([UInt8](repeating: 0, count: PackHeader.byteCount))
    try sink.write(dictionary?.stored ?? [])
  }

  package func append(_ number: Int64, roles: PackRoles, label: UnsafeRawBufferPointer) throws(PackError) {
    if numbers.count == header.blockEntries { try close() }
    if first == nil { first = number }
    numbers.append(number)
    if roles.contains(.blocks) { header.blockingCount += 1 }
    if roles.contains(.identifies) {
      header.identificationCount += 1
      header.maximumLabelBytes = max(header.maximumLabelBytes, label.count)
    }
    header.entryCount += 1
    header.lastNumber = number
    guard header.kind != .blocking else { return }
    if encoder == nil, roles == .blocks { return }
    guard labels.count >> 3 <= PackLimits.blockBytes else { throw Self.tooLarge(labels.count >> 3) }
    guard encoder?.append(label, roles: roles, into: &labels) == true else {
      throw PackError(
        .badEntry, "the dictionary has no way to write the label",
        remedy: "write the pack with a dictionary of its own",
        entry: header.entryCount - 1, number: number)
    }
  }

  /// Appends numbers that follow each other to a pack that only blocks.
  package func append(blocking range: ClosedRange<Int64>) throws(PackError) {
    if first == nil { first = range.lowerBound }
    var next = range.lowerBound
    while next <= range.upperBound {
      if numbers.count == header.blockEntries { try close() }
      let end = min(range.upperBound, next + Int64(header.blockEntries - numbers.count) - 1)
      numbers.append(contentsOf: next...end)
      next = end + 1
    }
    header.blockingCount += range.count
    header.entryCount += range.count
    header.lastNumber = range.upperBound
  }

  /// Writes the remaining entries and the header; the caller publishes the sink.
  package func finish() throws(PackError) -> PackHeader {
    if !numbers.isEmpty { try close() }
    try writePending(high: header.lastNumber)
    guard sink.count + index.count <= PackLimits.fileBytes else {
      throw PackError(.tooLarge, "the pack has more than 4 GB", remedy: "split the list by region")
    }
    try sink.write(index)
    header.fileBytes = sink.count
    try header.check()
    try sink.overwrite(
      header.encoded(indexChecksum: checksum(index), dictionaryChecksum: dictionaryChecksum), at: 0)
    return header
  }

  /// The least number; `nil` when there are no entries.
  package var firstNumber: Int64? { first }

  /// Ends the current block. The range of its numbers ends at the next block's first number, which is known only later.
  private func close() throws(PackError) {
    labels.align()
    let closed = (numbers[0], Array(numbers.dropFirst()), labels.bytes)
    numbers.removeAll(keepingCapacity: true)
    labels.removeAll()
    encoder?.restart()
    try writePending(high: closed.0 - 1)
    pending = closed
  }

  private func writePending(high: Int64) throws(PackError) {
    guard let block = pending else { return }
    pending = nil
    var best = BitWriter(), variant = Interpolative.Variant.centre
    for candidate in Interpolative.Variant.allCases {
      var column = BitWriter()
      block.numbers.withUnsafeBufferPointer {
        Interpolative.encode($0, block.first + 1, high, candidate, into: &column)
      }
      if candidate == .centre || column.count < best.count { (best, variant) = (column, candidate) }
    }
    best.align()
    var bytes = [variant.rawValue]
    bytes.appendLittleEndian(UInt64(best.bytes.count), 3)
    bytes += best.bytes
    bytes += block.labels
    try add(bytes, first: block.first)
  }

  private func add(_ bytes: [UInt8], first: Int64) throws(PackError) {
    guard bytes.count <= PackLimits.blockBytes, header.blockCount < PackLimits.blocks else {
      throw Self.tooLarge(bytes.count)
    }
    index.appendLittleEndian(UInt64(first), 8)
    index.appendLittleEndian(UInt64(sink.count), 4)
    index.appendLittleEndian(UInt64(checksum(bytes)), 4)
    header.blockCount += 1
    header.maximumBlockBytes = max(header.maximumBlockBytes, bytes.count)
    try sink.write(bytes)
  }

  private static func tooLarge(_ bytes: Int) -> PackError {
    PackError(
      .tooLarge, "the labels are too long for a block", expected: "\(PackLimits.blockBytes) bytes at most",
      got: "\(bytes)", remedy: "shorten the labels or split the list by region")
  }
}
