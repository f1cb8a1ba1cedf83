// SPDX-License-Identifier: Apache-2.0

/// Decodes a column of roles and labels, one entry after another, without allocating.
///
/// The decoder holds no references: its owner keeps the dictionary, the input and the scratch memory alive.
struct LabelDecoder {
  private var input: BitReader
  private let quick: (UnsafePointer<UInt32>, UnsafePointer<UInt32>)
  private let limits: (UnsafePointer<(limit: Int, shift: Int)>, UnsafePointer<(limit: Int, shift: Int)>)
  private let starts: UnsafePointer<UInt32>
  private let text: UnsafeRawPointer
  private let scratch: UnsafeMutableRawPointer
  private let maximum: Int
  private let hasRoles: Bool
  private var hasLabel = false
  /// The roles of the last decoded entry.
  private(set) var roles: PackRoles
  /// The label of the last entry that identifies.
  private(set) var label: UnsafeRawBufferPointer

  /// The reason why an entry could not be decoded; the hot path itself throws nothing.
  enum Failure {
    case badCode, tooLong, nothingToRepeat, overrun, notUTF8
  }

  /// Returns the size of the scratch memory in bytes for labels of at most `maximum` bytes.
  static func scratchBytes(_ maximum: Int) -> Int { maximum + PackDictionary.slack }

  init(
    _ input: BitReader, _ dictionary: PackDictionary, scratch: UnsafeMutableRawPointer, maximum: Int, kind: PackKind
  ) {
    self.input = input
    quick = (UnsafePointer(dictionary.codes.0.quick), UnsafePointer(dictionary.codes.1.quick))
    limits = (UnsafePointer(dictionary.codes.0.limits), UnsafePointer(dictionary.codes.1.limits))
    starts = UnsafePointer(dictionary.starts)
    text = UnsafeRawPointer(dictionary.text)
    self.scratch = scratch
    self.maximum = maximum
    hasRoles = kind == .both
    roles = .identifies
    label = UnsafeRawBufferPointer(start: scratch, count: 0)
  }

  /// Whether all bits were read except those that fill the last byte.
  var endsCleanly: Bool { input.endsCleanly }

  /// Decodes the next entry; `false` when it is malformed, with the reason in ``fault``.
  @inline(__always)
  mutating func next() -> Failure? {
    if hasRoles {
      decodeRoles()
      guard roles.contains(.identifies) else { return input.isOverrun ? .overrun : nil }
    }
    return decodeLabel()
  }

  private mutating func decodeRoles() {
    guard input.bits(1) == 1 else { return }
    // 1 → 2 → 3 → 1: the next roles in turn, or the ones after.
    let step = UInt8(truncatingIfNeeded: input.bits(1)) + 1
    roles = PackRoles(rawValue: (roles.rawValue - 1 + step) % 3 + 1)
  }

  @inline(__always)
  private mutating func symbol(
    _ quick: UnsafePointer<UInt32>, _ limits: UnsafePointer<(limit: Int, shift: Int)>
  ) -> Int {
    let window = input.window()
    let entry = quick[Int(truncatingIfNeeded: window >> UInt64(64 - PackDictionary.quickBits))]
    if entry != 0 {
      input.position &+= Int(entry & 0xFF)
      return Int(entry >> 8)
    }
    let longest = PackLimits.codeBits
    let bits = Int(truncatingIfNeeded: window >> UInt64(64 - longest))
    var length = PackDictionary.quickBits + 1
    while length <= longest {
      if bits < limits[length].limit {
        input.position &+= length
        return (bits >> (longest - length)) &+ limits[length].shift
      }
      length += 1
    }
    return -1
  }

  private mutating func decodeLabel() -> Failure? {
    var symbol = symbol(quick.0, limits.0)
    guard symbol >= 0 else { return .badCode }
    var start = starts[symbol]
    var from = Int(start & PackDictionary.offsetMask)
    var count = Int(starts[symbol + 1] & PackDictionary.offsetMask) - from
    if start & PackDictionary.endBit != 0 {
      if count > 0 {
        guard count <= maximum else { return .tooLong }
        guard start & PackDictionary.partialBit == 0 else { return .notUTF8 }
        label = UnsafeRawBufferPointer(start: text + from, count: count)
        hasLabel = true
        return input.isOverrun ? .overrun : nil
      }
      guard hasLabel else { return .nothingToRepeat }
      return input.isOverrun ? .overrun : nil
    }
    if count == 0 { return spell() }
    var used = 0
    var flags = start
    while true {
      guard used + count <= maximum else { return .tooLong }
      // Both memories have 16 spare bytes beyond the limits of `maximum` and of the text's size.
      if count <= 16 {
        let low = text.loadUnaligned(fromByteOffset: from, as: UInt64.self)
        let high = text.loadUnaligned(fromByteOffset: from + 8, as: UInt64.self)
        scratch.storeBytes(of: low, toByteOffset: used, as: UInt64.self)
        scratch.storeBytes(of: high, toByteOffset: used + 8, as: UInt64.self)
      } else {
        (scratch + used).copyMemory(from: text + from, byteCount: count)
      }
      used += count
      if start & PackDictionary.endBit != 0 { break }
      symbol = self.symbol(quick.1, limits.1)
      guard symbol >= 0 else { return .badCode }
      start = starts[symbol]
      flags |= start
      from = Int(start & PackDictionary.offsetMask)
      count = Int(starts[symbol + 1] & PackDictionary.offsetMask) - from
    }
    label = UnsafeRawBufferPointer(start: scratch, count: used)
    guard flags & PackDictionary.partialBit == 0 || UTF8Rule.isValid(label) else { return .notUTF8 }
    hasLabel = true
    return input.isOverrun ? .overrun : nil
  }

  private mutating func spell() -> Failure? {
    let count = Int(input.bits(16))
    guard count > 0, count <= maximum else { return .tooLong }
    guard input.position + 8 * count <= input.end else { return .overrun }
    for index in 0..<count {
      scratch.storeBytes(of: UInt8(truncatingIfNeeded: input.bits(8)), toByteOffset: index, as: UInt8.self)
    }
    label = UnsafeRawBufferPointer(start: scratch, count: count)
    guard UTF8Rule.isValid(label) else { return .notUTF8 }
    hasLabel = true
    return nil
  }
}

extension LabelDecoder.Failure {
  var error: PackError {
    let rule =
      switch self {
      case .badCode: "a label has bits that are no code"
      case .tooLong: "a label is empty or longer than the declared maximum"
      case .nothingToRepeat: "a label repeats one that does not exist"
      case .overrun: "the labels are longer than their column"
      case .notUTF8: "a label is not UTF-8"
      }
    return PackError(.malformed, rule, remedy: "fetch the pack again")
  }
}
