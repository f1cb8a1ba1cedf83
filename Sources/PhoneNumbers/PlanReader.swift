// SPDX-License-Identifier: Apache-2.0

/// Reads the lines of a file of plans, see Documentation/numbering-plans.md.
struct PlanReader {
  typealias Failure = NumberingPlans.Failure
  typealias Text = Slice<UnsafeBufferPointer<UInt8>>

  private(set) var (version, date): (NumberingPlans.Version?, String) = (nil, "")
  let memory = PlanMemory()
  private(set) var codes = [CallingCode?](repeating: nil, count: 1_000)

  private var line = 1
  private var patterns: [Text] = []
  /// Patterns of prefixes: many regions have the same.
  private var prefixes: [Int: PrefixPattern] = [:]
  private var names = Set<String>()
  private var (code, regions, formats): (Int, [RegionPlan], [CallingCode.Format]) = (0, [], [])

  /// - Parameters:
  ///   - bytes: stay in memory as long as the plans.
  ///   - isChecked: whether every pattern is known to be one: tests check the patterns of the program.
  init(_ bytes: UnsafeBufferPointer<UInt8>, isChecked: Bool = false) throws(Failure) {
    var rest = bytes[...]
    let head = Self.line(&rest).split(separator: 0x20).map(Self.string)
    guard head.count == 4, head[0] == "numbering-plans", head[1] == "1", let version = NumberingPlans.Version(head[2]),
      head[3].utf8.count == 10
    else { throw .otherForm }
    (self.version, date) = (version, head[3])
    let count = bytes.count { $0 == 0x0A }
    guard bytes.reversed().starts(with: "\nend \(count)\n".utf8.reversed()) else { throw .cut }
    var (patternCount, isPattern) = (0, false)
    while !rest.isEmpty {
      let text = Self.line(&rest)
      line += 1
      if isPattern {
        if !isChecked { try check(text) }
        patterns.append(text)
        isPattern = patterns.count < patternCount
        continue
      }
      let words = text.split(separator: 0x20, maxSplits: text.first == UInt8(ascii: "f") ? 3 : .max)
      switch words.first.map(Self.string) {
      case "patterns" where line == 2: (patternCount, isPattern) = (try number(words.last, below: 20_000), true)
      case "c": try begin(code: try number(words.last, below: 1_000))
      case "r" where words.count > 2: try readRegion(Self.string(words[1]), words[2...])
      case "f" where words.count > 3: try readFormat(words)
      case "end" where rest.isEmpty: try begin(code: nil)
      default: throw .badLine(line)
      }
    }
  }

  /// Takes a line off the rest.
  private static func line(_ rest: inout Text) -> Text {
    let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
    defer { rest = rest[min(end + 1, rest.endIndex)...] }
    return rest[..<end]
  }

  private static func string(_ text: Text?) -> String { text.map { String(decoding: $0, as: UTF8.self) } ?? "" }

  private func number(_ text: Text?, below limit: Int) throws(Failure) -> Int {
    guard let text, 1...6 ~= text.count, text.allSatisfy({ 0x30...0x39 ~= $0 }) else { throw .badLine(line) }
    let value = text.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    guard value < limit else { throw .badLine(line) }
    return value
  }

  private func check(_ text: Text) throws(Failure) {
    do throws(DigitPattern.Failure) { _ = try DigitPattern(text) } catch {
      switch error {
      case .tooLong: throw .patternTooLong(line: line)
      case .syntax: throw .badPattern(line: line)
      }
    }
  }

  /// Ends the calling code before.
  private mutating func begin(code next: Int?) throws(Failure) {
    if code > 0 {
      guard !regions.isEmpty else { throw .badLine(line) }
      codes[code] = CallingCode(number: code, regions: regions, formats: formats, in: memory)
    }
    guard let next else { return }
    // Codes ascend, and none begins with another.
    guard next > code, next > 0, codes[next / 10] == nil, codes[next / 100] == nil,
      !codes.indices.contains(where: { codes[$0] != nil && ($0 / 10 == next || $0 / 100 == next) })
    else { throw .badLine(line) }
    (code, regions, formats) = (next, [], [])
  }

  private mutating func readRegion(_ name: String, _ fields: ArraySlice<Text>) throws(Failure) {
    guard code > 0, regions.count < 32,
      name == "001" || name.utf8.count == 2 && name.utf8.allSatisfy({ 65...90 ~= $0 }) && names.insert(name).inserted
    else { throw .badLine(line) }
    var region = RegionPlan.Fields()
    for field in fields {
      guard field.count > 2, field[field.startIndex + 1] == UInt8(ascii: "=") else { throw .badLine(line) }
      let value = field.dropFirst(2)
      switch Unicode.Scalar(field[field.startIndex]) {
      case "l": region.lengths = try lengths(value)
      case "c": region.localLengths = try lengths(value)
      case "i": region.international = try prefix(value)
      case "n": region.national = try prefix(value)
      case "k": region.hasNationalPrefix = true
      case "r": region.transform = try template(value, groups: region.national?.groups ?? 0) { 0x30...0x39 ~= $0 }
      case let key:
        guard let kind = NumberDescription.Kind(key: key) else { throw .badLine(line) }
        let pattern = patterns[try number(value, below: patterns.count)]
        // The end of a text is for prefixes only.
        guard !pattern.contains(UInt8(ascii: "$")) else { throw .badLine(line) }
        region.descriptions.append(NumberDescription(kind: kind, pattern: pattern))
      }
    }
    guard region.lengths != 0 else { throw .badLine(line) }
    regions.append(RegionPlan(name, callingCode: code, place: regions.count, region, in: memory))
  }

  private mutating func prefix(_ value: Text) throws(Failure) -> PrefixPattern {
    let index = try number(value, below: patterns.count)
    let pattern = prefixes[index] ?? DigitPattern(checked: patterns[index]).kept(in: memory)
    prefixes[index] = pattern
    return pattern
  }

  private func lengths(_ value: Text) throws(Failure) -> UInt32 {
    var lengths: UInt32 = 0
    for part in value.split(separator: 0x2C) { lengths |= 1 << UInt32(try number(part, below: 18)) }
    return lengths
  }

  /// A text in which a group's number follows each $.
  private func template(_ value: Text, groups: Int, _ isSign: (UInt8) -> Bool) throws(Failure) -> [UInt8] {
    let parts = value.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
    let hasGroups = parts.dropFirst().allSatisfy { part in part.first.map { 0x31..<0x31 + UInt8(groups) ~= $0 } ?? false
    }
    guard value.count <= 64, hasGroups, value.allSatisfy({ isSign($0) || $0 == UInt8(ascii: "$") }) else {
      throw .badLine(line)
    }
    return Array(value)
  }

  private mutating func readFormat(_ words: [Text]) throws(Failure) {
    var sizes: [ClosedRange<Int>] = []
    for part in words[2].split(separator: 0x2C) {
      let bounds = part.split(separator: 0x2D)
      let (least, most) = (try number(bounds.first, below: 18), try number(bounds.last, below: 18))
      guard least <= most, sizes.count < 9 else { throw .badLine(line) }
      sizes.append(least...most)
    }
    let columns = words[3].split(separator: 0x09)
    let list = Self.string(words[1])
    guard code > 0, ["n", "i", "b"].contains(list), 2...3 ~= columns.count else { throw .badLine(line) }
    let any = Self.string(columns[0]) == "-"
    let leading = any ? nil : patterns[try number(columns[0], below: patterns.count)]
    let national = try template(columns[1], groups: sizes.count) { 0x20..<0x7F ~= $0 }
    let international =
      try columns.count > 2 ? template(columns[2], groups: sizes.count) { 0x20..<0x7F ~= $0 } : national
    formats.append(
      CallingCode.Format(
        sizes: sizes, leading: leading, national: list == "i" ? nil : national,
        international: list == "n" ? nil : international))
  }
}

/// A template with groups of digits in the places of $1 to $9; absent groups are empty.
func filled(
  _ template: [UInt8], _ groups: [Range<Int>?], _ digits: UnsafeBufferPointer<UInt8>
) -> [UInt8] {
  var (filled, isGroup): ([UInt8], Bool) = ([], false)
  for sign in template {
    if isGroup, let range = groups[Int(sign) - 0x31] { filled += digits[range].map { $0 + 0x30 } }
    if !isGroup, sign != UInt8(ascii: "$") { filled.append(sign) }
    isGroup = !isGroup && sign == UInt8(ascii: "$")
  }
  return filled
}
