// SPDX-License-Identifier: Apache-2.0

/// Memory for one block of a pack, allocated once and used for every block.
final class BlockBuffer {
  /// The numbers of the current block.
  let numbers: UnsafeMutablePointer<Int64>
  private let stored: UnsafeMutableRawBufferPointer
  private let scratch: UnsafeMutableRawPointer?
  private let dictionary: PackDictionary?
  private let header: PackHeader

  /// Length of the start of a block: one byte for the variant of its number column, three for that column's length.
  static let prefixBytes = 4

  /// Allocates the memory that a header declares. The header's limits were checked when the pack was opened.
  init(_ header: PackHeader, _ dictionary: PackDictionary?) {
    self.header = header
    self.dictionary = dictionary
    numbers = .allocate(capacity: max(1, min(header.blockEntries, header.entryCount)))
    stored = .allocate(byteCount: header.maximumBlockBytes + BitReader.padding, alignment: 16)
    stored.initializeMemory(as: UInt8.self, repeating: 0)
    scratch = dictionary.map { _ in
      .allocate(byteCount: LabelDecoder.scratchBytes(header.maximumLabelBytes), alignment: 16)
    }
  }

  deinit {
    numbers.deallocate()
    stored.deallocate()
    scratch?.deallocate()
  }

  /// A decoder for the labels of the last loaded block; `nil` when the pack has no labels.
  private(set) var labels: LabelDecoder?

  /// Reads a block, checks its checksum and decodes its numbers.
  func load(_ block: PackIndex.Block, of number: Int, from source: PackSource) throws(PackError) {
    func broken(_ what: String) -> PackError {
      PackError(.malformed, "block \(number) is broken: \(what)", remedy: "fetch the pack again")
    }
    precondition(block.count + BitReader.padding <= stored.count && block.entries <= max(1, header.blockEntries))
    let bytes = UnsafeMutableRawBufferPointer(rebasing: stored[0..<block.count])
    try source.read(at: block.offset, into: bytes)
    let sum = checksum(UnsafeRawBufferPointer(bytes))
    guard sum == block.checksum else {
      throw PackError(
        .corrupt, "the checksum of block \(number) does not match", expected: "\(block.checksum)", got: "\(sum)",
        remedy: "fetch the pack again")
    }
    guard block.count >= Self.prefixBytes else { throw broken("it is shorter than its prefix") }
    guard let variant = Interpolative.Variant(rawValue: bytes[0]) else { throw broken("its coding is unknown") }
    let length = Int(bytes[1]) | Int(bytes[2]) << 8 | Int(bytes[3]) << 16
    let end = Self.prefixBytes + length
    guard end <= block.count else { throw broken("its number column is longer than the block") }
    let memory = UnsafeRawBufferPointer(stored)
    numbers[0] = block.first
    guard block.high - block.first >= Int64(block.entries - 1) else { throw broken("its numbers do not fit") }
    var decoder = InterpolativeDecoder(input: BitReader(memory, from: Self.prefixBytes, to: end), variant: variant)
    decoder.decode(numbers + 1, block.entries - 1, block.first + 1, block.high)
    guard decoder.input.endsCleanly else { throw broken("its number column has another length than declared") }
    if number == header.blockCount - 1 {
      try PackHeader.check("the last number", declared: Int(header.lastNumber), found: Int(numbers[block.entries - 1]))
    }
    if let dictionary, let scratch {
      let input = BitReader(memory, from: end, to: block.count)
      labels = LabelDecoder(
        input, dictionary, scratch: scratch, maximum: header.maximumLabelBytes, kind: header.kind)
    } else {
      guard end == block.count else { throw broken("there are bytes after its numbers") }
    }
  }
}

extension BitReader {
  /// Whether all bits were read except fewer than eight zeros that fill the last byte.
  var endsCleanly: Bool {
    guard position < end else { return position == end }
    return end - position < 8 && window() >> UInt64(64 - (end - position)) == 0
  }
}
