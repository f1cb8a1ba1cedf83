// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The index of a pack: the offset and the first number of each block.
struct PackIndex: Sendable {
  /// The position, size and range of a block.
  struct Block {
    var offset: Int
    var count: Int
    var checksum: UInt32
    var first: Int64
    /// The greatest number that the block may contain.
    var high: Int64
    var entries: Int
  }

  private let firsts: [Int64]
  /// The offsets of the blocks, and as the last element the offset of the index.
  private let offsets: [UInt32]
  private let checksums: [UInt32]
  private let header: PackHeader

  init(_ source: PackSource, _ header: PackHeader, checksum sum: UInt32) throws(PackError) {
    let bytes = try source.bytes(at: header.indexOffset, count: header.indexBytes)
    guard checksum(bytes) == sum else {
      throw PackError(
        .corrupt, "the index's checksum does not match", expected: "\(sum)", got: "\(checksum(bytes))",
        remedy: "fetch it again")
    }
    let input = LittleEndian(bytes)
    var firsts: [Int64] = [], offsets: [UInt32] = [], checksums: [UInt32] = []
    firsts.reserveCapacity(header.blockCount)
    offsets.reserveCapacity(header.blockCount + 1)
    checksums.reserveCapacity(header.blockCount)
    var expected = header.blocksOffset, last: Int64 = 0
    for block in 0..<header.blockCount {
      let at = block * PackHeader.indexEntryBytes
      let first = Int64(bitPattern: input.u64(at)), offset = input.int(at + 8)
      guard block == 0 ? offset == expected : offset > expected, offset <= header.indexOffset else {
        throw PackError(.malformed, "block \(block) starts at an impossible place", got: "\(offset)")
      }
      guard offset - expected <= header.maximumBlockBytes else {
        throw Self.tooLarge(block - 1, offset - expected, header)
      }
      // Every earlier block is full, so all numbers of those blocks must fit below this block's first number.
      guard first > last, first <= header.lastNumber, block == 0 || first - last >= Int64(header.blockEntries) else {
        throw PackError(.malformed, "the first number of block \(block) is out of order", got: "\(first)")
      }
      firsts.append(first)
      offsets.append(UInt32(offset))
      checksums.append(input.u32(at + 12))
      expected = offset
      last = first
    }
    if header.blockCount > 0 {
      guard header.indexOffset - expected <= header.maximumBlockBytes else {
        throw Self.tooLarge(header.blockCount - 1, header.indexOffset - expected, header)
      }
      let entries = header.entries(inBlock: header.blockCount - 1)
      guard header.lastNumber - last >= Int64(entries - 1), entries > 1 || header.lastNumber == last else {
        throw PackError(.malformed, "the last number does not fit the last block", got: "\(header.lastNumber)")
      }
    } else {
      guard header.indexOffset == header.blocksOffset else {
        throw PackError(.malformed, "there are bytes between the dictionary and the index")
      }
    }
    offsets.append(UInt32(header.indexOffset))
    let largest = zip(offsets, offsets.dropFirst()).map { Int($1 - $0) }.max() ?? 0
    try PackHeader.check("bytes of the largest block", declared: header.maximumBlockBytes, found: largest)
    self.firsts = firsts
    self.offsets = offsets
    self.checksums = checksums
    self.header = header
  }

  private static func tooLarge(_ block: Int, _ bytes: Int, _ header: PackHeader) -> PackError {
    PackError(
      .malformed, "block \(block) is larger than the declared maximum", expected: "\(header.maximumBlockBytes) bytes",
      got: "\(bytes)")
  }

  var count: Int { firsts.count }

  subscript(_ block: Int) -> Block {
    Block(
      offset: Int(offsets[block]), count: Int(offsets[block + 1]) - Int(offsets[block]), checksum: checksums[block],
      first: firsts[block], high: block + 1 < firsts.count ? firsts[block + 1] - 1 : header.lastNumber,
      entries: header.entries(inBlock: block))
  }

  /// Returns the block whose range contains `number`; `nil` when it is before the first.
  func block(for number: Int64) -> Int? {
    let next = firsts.partitioningIndex { $0 > number }
    return next == 0 ? nil : next - 1
  }
}

/// A value that is created at its first use, by the first thread that needs it.
final class LazyValue<Value: Sendable>: @unchecked Sendable {
  // Unchecked: `stored` is accessed only under the lock.
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private var stored: Value?

  init() {
    lock = .allocate(capacity: 1)
    lock.initialize(to: pthread_mutex_t())
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  /// Returns the value; creates it at the first call. An error of `make` is rethrown, and the next call tries again.
  func value<Failure: Error>(_ make: () throws(Failure) -> Value) throws(Failure) -> Value {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    if let stored { return stored }
    let made = try make()
    stored = made
    return made
  }
}

extension RandomAccessCollection {
  /// Returns the index of the first element of the second part of a partitioned collection: first the elements that do
  /// not meet a condition, then those that do. ``endIndex`` when no element meets it.
  func partitioningIndex(where isInSecondPart: (Element) throws -> Bool) rethrows -> Index {
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
