// SPDX-License-Identifier: Apache-2.0

/// Everything that the national digits of a calling code tell, as one automaton without choices: one step a digit.
final class NumberTable: @unchecked Sendable {
  // Unchecked: the states never change.

  /// The meaning of a sequence of digits. Masks have a bit for each region of the calling code, in the order of the plan.
  struct Meaning: Hashable {
    /// The region's place; nil where no region has such a number.
    var region: UInt8?
    /// Not `.unknown`: the digits are a valid number.
    var kind = PhoneNumber.Kind.unknown
    /// The regions with numbers of this form, whatever their length.
    var general: UInt32 = 0
    /// The regions where it is a short number, those where only the pattern of short numbers fits, and those where it
    /// is an emergency number.
    var short: UInt32 = 0
    var shortForm: UInt32 = 0
    var emergency: UInt32 = 0

    /// Whether it is a short number of any region.
    func isShort(regions: Int) -> Bool { regions > 1 ? shortForm != 0 : short != 0 }
  }

  /// Ten states that follow, a meaning, and lengths: bit n if n more digits make a valid number. State 0 has no way out.
  private let states: UnsafeMutableBufferPointer<UInt16>
  private let start: Int
  private let meanings: UnsafeMutableBufferPointer<Meaning>
  fileprivate static let (stride, meaningPlace, lengthsPlace) = (12, 10, 11)

  fileprivate init(states: [UInt16], start: Int, meanings: [Meaning]) {
    self.start = start
    self.states = .allocate(capacity: states.count)
    _ = self.states.initialize(from: states)
    self.meanings = .allocate(capacity: meanings.count)
    _ = self.meanings.initialize(from: meanings)
  }

  deinit {
    states.deallocate()
    meanings.deallocate()
  }

  /// The table of a calling code that no number has.
  static let empty = NumberTable(states: Array(repeating: 0, count: stride), start: 0, meanings: [Meaning()])

  private func state(_ digits: UnsafeBufferPointer<UInt8>) -> Int {
    var state = start
    for digit in digits where state != 0 { state = Int(states[state &* Self.stride &+ Int(digit)]) }
    return state
  }

  func meaning(of digits: UnsafeBufferPointer<UInt8>) -> Meaning {
    meanings[Int(states[state(digits) * Self.stride + Self.meaningPlace])]
  }

  /// Bit n if n more digits behind these make a valid number.
  func lengths(after digits: UnsafeBufferPointer<UInt8>) -> UInt16 {
    states[state(digits) * Self.stride + Self.lengthsPlace]
  }

  /// The shortest prefixes that tell apart the regions of valid numbers with some lengths.
  func prefixes(lengths: UInt32) -> [(digits: String, region: UInt8)] {
    var known: [Int: UInt32] = [:]
    func regions(_ state: Int, _ depth: Int) -> UInt32 {
      if let found = known[state << 5 | depth] { return found }
      let meaning = meanings[Int(states[state * Self.stride + Self.meaningPlace])]
      let isValid = meaning.kind != .unknown && lengths >> UInt32(depth) & 1 == 1
      var found = isValid ? meaning.region.map { 1 << UInt32($0) } ?? 0 : UInt32(0)
      for digit in 0..<10 {
        let next = Int(states[state * Self.stride + digit])
        if next != 0 { found |= regions(next, depth + 1) }
      }
      known[state << 5 | depth] = found
      return found
    }
    var found: [(String, UInt8)] = []
    func visit(_ state: Int, _ digits: String) {
      let all = regions(state, digits.utf8.count)
      if all.nonzeroBitCount == 1 { return found.append((digits, UInt8(all.trailingZeroBitCount))) }
      for digit in 0..<10 where all != 0 {
        let next = Int(states[state * Self.stride + digit])
        if next != 0 { visit(next, digits + "\(digit)") }
      }
    }
    visit(start, "")
    return found
  }
}

/// The numbers of one kind in a region's plan.
struct NumberDescription: @unchecked Sendable {
  // Unchecked: the text of the pattern never changes.
  enum Kind: UInt16 {
    case general, premium, free, shared, voip, personal, pager, universal, voicemail, fixed, mobile
    case shortGeneral, short, emergency
    /// The digits that its numbers begin with, where other regions share the calling code.
    case leading
    /// As `general`, with numbers that can be dialed only within the region.
    case form

    /// A kind by its letter in a file of plans.
    init?(key: Unicode.Scalar) {
      guard let index = Array("gptsvoaubfmGSEdh".unicodeScalars).firstIndex(of: key) else { return nil }
      self.init(rawValue: UInt16(index))
    }
  }

  var kind: Kind
  var pattern: Slice<UnsafeBufferPointer<UInt8>>
}

/// Unites patterns into a table. Equal rests of patterns share their rows, so the rows remain few.
struct NumberTableBuilder {
  /// More rows than any real plan has.
  private static let maxRows = 400_000
  /// No national number has more digits.
  private static let maxDigits = 17

  /// Ten rows that follow, and a mark. Row 0 has no way out.
  private struct Row: Hashable {
    private var cells = SIMD16<Int32>()

    subscript(place: Int) -> Int32 {
      get { cells[place] }
      set { cells[place] = newValue }
    }

    func hash(into hasher: inout Hasher) {
      let words = unsafeBitCast(cells, to: SIMD8<UInt64>.self)
      var mixed = words[0]
      for place in 1..<6 { mixed = (mixed ^ mixed >> 29) &* 0x9E37_79B9_7F4A_7C15 ^ words[place] }
      hasher.combine(mixed)
    }
  }

  private static let mark = 10

  private var rows = [Row()]
  private var numbers = [Row(): Int32(0)]
  /// Marks are sets of descriptions, each as region and kind; 0 is the empty one.
  private var marks: [[UInt16]] = [[]]
  private var markNumbers: [[UInt16]: Int32] = [[]: 0]
  private var unions: [Int64: Int32] = [:]
  private var markUnions: [Int64: Int32] = [:]
  private var root: Int32 = 0

  /// The table of regions; nil where it has more states than any real plan.
  static func table(_ regions: UnsafeBufferPointer<RegionPlan>) -> NumberTable? {
    var builder = Self()
    for region in regions {
      let hasForm = region.fields.pointee.descriptions.contains { $0.kind == .form }
      for description in region.fields.pointee.descriptions where description.kind != .leading || regions.count > 1 {
        var kinds = [description.kind]
        if description.kind == .general, !hasForm { kinds.append(.form) }
        builder.add(kinds.map { UInt16(region.place) << 4 | $0.rawValue }, DigitPattern(checked: description.pattern))
      }
    }
    return builder.table(regions)
  }

  // MARK: - Patterns

  private mutating func add(_ items: [UInt16], _ pattern: DigitPattern) {
    let mark = mark(items)
    var end = Row()
    end[Self.mark] = mark
    var rest = row(end)
    if items[0] & 15 == NumberDescription.Kind.leading.rawValue {
      // Whatever follows, the number begins so.
      for _ in 0..<Self.maxDigits {
        for digit in 0..<10 { end[digit] = rest }
        rest = row(end)
      }
    }
    root = union(root, build(pattern, pattern.root, then: rest))
  }

  private mutating func mark(_ items: [UInt16]) -> Int32 {
    if let known = markNumbers[items] { return known }
    marks.append(items)
    markNumbers[items] = Int32(marks.count - 1)
    return Int32(marks.count - 1)
  }

  private mutating func row(_ row: Row) -> Int32 {
    if let known = numbers[row] { return known }
    rows.append(row)
    numbers[row] = Int32(rows.count - 1)
    return Int32(rows.count - 1)
  }

  /// The row of a part of a pattern that is followed by a row.
  private mutating func build(_ pattern: DigitPattern, _ index: Int32, then rest: Int32) -> Int32 {
    let node = pattern.nodes[Int(index)]
    switch node.kind {
    case .digit:
      var next = Row()
      for digit in 0..<10 where node.value >> UInt16(digit) & 1 == 1 { next[digit] = rest }
      return row(next)
    case .sequence: return sequence(pattern, node.child, then: rest)
    case .group: return build(pattern, node.child, then: rest)
    case .end: return rest
    case .choice:
      var (all, child): (Int32, Int32) = (0, node.child)
      while child >= 0 {
        all = union(all, build(pattern, child, then: rest))
        child = pattern.nodes[Int(child)].next
      }
      return all
    case .repetition:
      var all = rest
      for _ in node.least..<node.most { all = union(build(pattern, node.child, then: all), rest) }
      for _ in 0..<node.least { all = build(pattern, node.child, then: all) }
      return all
    }
  }

  private mutating func sequence(_ pattern: DigitPattern, _ child: Int32, then rest: Int32) -> Int32 {
    guard child >= 0 else { return rest }
    let tail = sequence(pattern, pattern.nodes[Int(child)].next, then: rest)
    return build(pattern, child, then: tail)
  }

  private mutating func union(_ one: Int32, _ other: Int32) -> Int32 {
    if one == 0 || one == other { return other }
    if other == 0 || rows.count > Self.maxRows { return one }
    let key = Int64(min(one, other)) << 32 | Int64(max(one, other))
    if let known = unions[key] { return known }
    var all = rows[Int(one)]
    let more = rows[Int(other)]
    for digit in 0..<10 { all[digit] = union(all[digit], more[digit]) }
    all[Self.mark] = markUnion(all[Self.mark], more[Self.mark])
    let number = row(all)
    unions[key] = number
    return number
  }

  private mutating func markUnion(_ one: Int32, _ other: Int32) -> Int32 {
    if one == 0 || one == other { return other }
    if other == 0 { return one }
    let key = Int64(one) << 32 | Int64(other)
    if let known = markUnions[key] { return known }
    let all = mark(Set(marks[Int(one)] + marks[Int(other)]).sorted())
    markUnions[key] = all
    return all
  }

  // MARK: - The table

  private func table(_ regions: UnsafeBufferPointer<RegionPlan>) -> NumberTable? {
    var meanings = [NumberTable.Meaning(region: regions.count > 1 ? nil : 0)]
    var meaningNumbers = [meanings[0]: Int32(0)]
    let meaningOfMark = marks.map { items -> Int32 in
      let meaning = meaning(items, regions)
      if let known = meaningNumbers[meaning] { return known }
      meanings.append(meaning)
      meaningNumbers[meaning] = Int32(meanings.count - 1)
      return Int32(meanings.count - 1)
    }
    // Many marks have one meaning, so that more rows are equal now. A row comes behind those that follow it.
    var (merged, known) = (Self(), [Int32?](repeating: nil, count: rows.count))
    func merge(_ index: Int32) -> Int32 {
      if let found = known[Int(index)] { return found }
      var cells = rows[Int(index)]
      for digit in 0..<10 where cells[digit] != 0 { cells[digit] = merge(cells[digit]) }
      cells[Self.mark] = meaningOfMark[Int(cells[Self.mark])]
      let found = merged.row(cells)
      known[Int(index)] = found
      return found
    }
    let start = Int(merge(root))
    guard rows.count <= Self.maxRows, merged.rows.count < Int(UInt16.max) else { return nil }
    var states: [UInt16] = []
    for row in merged.rows {
      let next = (0..<10).map { UInt16(row[$0]) }
      var lengths: UInt16 = meanings[Int(row[Self.mark])].kind == .unknown ? 0 : 1
      for state in next where state != 0 {
        lengths |= states[Int(state) * NumberTable.stride + NumberTable.lengthsPlace] << 1
      }
      states += next + [UInt16(row[Self.mark]), lengths]
    }
    return NumberTable(states: states, start: start, meanings: meanings)
  }

  /// The first region whose leading digits or numbers fit is the number's, and it is valid if that region has numbers like
  /// it.
  private func meaning(_ items: [UInt16], _ regions: UnsafeBufferPointer<RegionPlan>) -> NumberTable.Meaning {
    var (meaning, isFound) = (NumberTable.Meaning(), false)
    var kinds = [UInt16](repeating: 0, count: regions.count)
    for item in items { kinds[Int(item >> 4)] |= 1 << (item & 15) }
    for (region, kinds) in zip(regions, kinds) where kinds != 0 || regions.count == 1 {
      func has(_ kind: NumberDescription.Kind) -> Bool { kinds >> kind.rawValue & 1 == 1 }
      let bit = UInt32(1) << UInt32(region.place)
      if has(.form) { meaning.general |= bit }
      if has(.short) { meaning.shortForm |= bit }
      if has(.short), has(.shortGeneral) { meaning.short |= bit }
      if has(.emergency) { meaning.emergency |= bit }
      let (kind, hasLeading) = (Self.kind(has), region.fields.pointee.descriptions.contains { $0.kind == .leading })
      guard !isFound, regions.count == 1 || (hasLeading ? has(.leading) : kind != .unknown) else { continue }
      (meaning.region, meaning.kind, isFound) = (UInt8(region.place), kind, true)
    }
    return meaning
  }

  /// The kind of a region's number; some kinds come before others.
  private static func kind(_ has: (NumberDescription.Kind) -> Bool) -> PhoneNumber.Kind {
    guard has(.general) else { return .unknown }
    let special: [(NumberDescription.Kind, PhoneNumber.Kind)] = [
      (.premium, .premiumRate), (.free, .tollFree), (.shared, .sharedCost), (.voip, .voip), (.personal, .personal),
      (.pager, .pager), (.universal, .universalAccess), (.voicemail, .voicemail),
    ]
    if let found = special.first(where: { has($0.0) }) { return found.1 }
    if has(.fixed) { return has(.mobile) ? .fixedLineOrMobile : .fixedLine }
    return has(.mobile) ? .mobile : .unknown
  }
}
