// SPDX-License-Identifier: Apache-2.0

/// A pattern of digits as a tree in one array: digits, `d` for any, `[2-9]`, `(…)`, `(?:…)`, `|`, `?`, `{n}`, `{n,m}`, `$`.
struct DigitPattern: Sendable {
  enum Kind { case digit, sequence, choice, repetition, group, end }

  struct Node {
    var kind: Kind
    /// The digits of `.digit`, bit by bit; the number of a `.group`, from 1.
    var value: UInt16 = 0
    /// The bounds of `.repetition`.
    var least: UInt8 = 1
    var most: UInt8 = 1
    /// The first child, and the next child of the same node; -1 for none.
    var child: Int32 = -1
    var next: Int32 = -1
  }

  /// Why a text is no pattern.
  enum Failure: Error { case tooLong, syntax }

  /// Bounds that no real pattern comes near: a pattern's bytes, the digits of its longest text, and the digits that it
  /// has when its repetitions are written out.
  static let (maxBytes, maxDigits, maxSize, maxDepth, maxGroups) = (4_096, 20, 8_192, 32, 2)

  private(set) var nodes: [Node] = []
  private(set) var groups = 0
  private(set) var root: Int32 = -1

  init(_ text: Slice<UnsafeBufferPointer<UInt8>>) throws(Failure) {
    guard text.count <= Self.maxBytes else { throw .tooLong }
    var rest = UnsafeBufferPointer(rebasing: text)[...]
    nodes.reserveCapacity(rest.count)
    root = try choice(&rest, depth: 0)
    guard rest.isEmpty else { throw .syntax }
    let (longest, size) = measured(root)
    guard longest <= Self.maxDigits, size <= Self.maxSize else { throw .tooLong }
  }

  private typealias Text = Slice<UnsafeBufferPointer<UInt8>>

  private mutating func add(_ node: Node) -> Int32 {
    nodes.append(node)
    return Int32(nodes.count - 1)
  }

  private func skip(_ sign: Unicode.Scalar, _ rest: inout Text) -> Bool {
    guard rest.first == UInt8(ascii: sign) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func choice(_ rest: inout Text, depth: Int) throws(Failure) -> Int32 {
    guard depth <= Self.maxDepth else { throw .syntax }
    var last = try sequence(&rest, depth)
    guard rest.first == UInt8(ascii: "|") else { return last }
    let all = add(Node(kind: .choice, child: last))
    while skip("|", &rest) {
      let other = try sequence(&rest, depth)
      nodes[Int(last)].next = other
      last = other
    }
    return all
  }

  private mutating func sequence(_ rest: inout Text, _ depth: Int) throws(Failure) -> Int32 {
    let all = add(Node(kind: .sequence))
    var last: Int32 = -1
    while let sign = rest.first, sign != UInt8(ascii: "|"), sign != UInt8(ascii: ")") {
      var part = try atom(&rest, depth)
      if skip("?", &rest) {
        part = add(Node(kind: .repetition, least: 0, child: part))
      } else if skip("{", &rest) {
        let least = try count(&rest)
        let most = skip(",", &rest) ? try count(&rest) : least
        guard skip("}", &rest), least <= most else { throw .syntax }
        part = add(Node(kind: .repetition, least: least, most: most, child: part))
      }
      if last < 0 { nodes[Int(all)].child = part } else { nodes[Int(last)].next = part }
      last = part
    }
    return all
  }

  private func count(_ rest: inout Text) throws(Failure) -> UInt8 {
    var value = try digit(&rest)
    while let next = rest.first, 0x30...0x39 ~= next, value < 10 { value = try value * 10 + digit(&rest) }
    return value
  }

  private func digit(_ rest: inout Text) throws(Failure) -> UInt8 {
    guard let sign = rest.popFirst(), 0x30...0x39 ~= sign else { throw .syntax }
    return sign - 0x30
  }

  private mutating func atom(_ rest: inout Text, _ depth: Int) throws(Failure) -> Int32 {
    if skip("d", &rest) { return add(Node(kind: .digit, value: 0x3FF)) }
    if skip("$", &rest) { return add(Node(kind: .end)) }
    if skip("[", &rest) {
      var mask: UInt16 = 0
      repeat {
        let first = try digit(&rest)
        let last = skip("-", &rest) ? try digit(&rest) : first
        guard first <= last else { throw .syntax }
        for value in first...last { mask |= 1 << UInt16(value) }
      } while !skip("]", &rest)
      return add(Node(kind: .digit, value: mask))
    }
    guard skip("(", &rest) else { return add(Node(kind: .digit, value: 1 << UInt16(try digit(&rest)))) }
    var group: Int32 = -1
    if skip("?", &rest) {
      guard skip(":", &rest) else { throw .syntax }
    } else {
      groups += 1
      guard groups <= Self.maxGroups else { throw .syntax }
      group = add(Node(kind: .group, value: UInt16(groups)))
    }
    let inner = try choice(&rest, depth: depth + 1)
    guard skip(")", &rest) else { throw .syntax }
    guard group >= 0 else { return inner }
    nodes[Int(group)].child = inner
    return group
  }

  /// The digits of the longest text of a node, and the digits that it has when written out; capped.
  private func measured(_ index: Int32) -> (longest: Int, size: Int) {
    let node = nodes[Int(index)]
    guard node.kind != .digit else { return (1, 1) }
    var (longest, size, child) = (0, 1, node.child)
    while child >= 0 {
      let part = measured(child)
      longest = node.kind == .choice ? max(longest, part.longest) : longest + part.longest
      size += part.size
      child = nodes[Int(child)].next
    }
    return (min(longest * Int(node.most), Self.maxDigits + 1), min(size * Int(node.most), Self.maxSize + 1))
  }
}

/// A pattern of prefixes. They are matched from left to right: the first alternative that fits counts.
struct PrefixPattern: @unchecked Sendable {
  // Unchecked: the nodes never change.
  fileprivate let nodes: UnsafeBufferPointer<DigitPattern.Node>
  fileprivate let root: Int32
  let groups: Int

  /// Where a match ends, and its groups.
  struct Match {
    var end = 0
    var groups: [Range<Int>?]
  }

  private typealias Digits = UnsafeBufferPointer<UInt8>
  private typealias Next = (Int, inout Match) -> Bool

  /// Matches digits, each 0…9, from their start.
  func match(_ digits: UnsafeBufferPointer<UInt8>) -> Match? {
    var match = Match(groups: groups > 0 ? Array(repeating: nil, count: groups) : [])
    let isFound = run(root, 0, digits, &match) { place, match in
      match.end = place
      return true
    }
    return isFound ? match : nil
  }

  private func run(_ index: Int32, _ place: Int, _ digits: Digits, _ match: inout Match, _ next: Next) -> Bool {
    let node = nodes[Int(index)]
    switch node.kind {
    case .digit:
      return place < digits.count && node.value >> UInt16(digits[place]) & 1 == 1 && next(place + 1, &match)
    case .end: return place == digits.count && next(place, &match)
    case .sequence: return sequence(node.child, place, digits, &match, next)
    case .choice:
      var child = node.child
      while child >= 0 {
        if run(child, place, digits, &match, next) { return true }
        child = nodes[Int(child)].next
      }
      return false
    case .group:
      let former = match.groups
      let isFound = run(node.child, place, digits, &match) { end, match in
        match.groups[Int(node.value) - 1] = place..<end
        return next(end, &match)
      }
      if !isFound { match.groups = former }
      return isFound
    case .repetition: return repetition(node, 0, place, digits, &match, next)
    }
  }

  private func sequence(_ child: Int32, _ place: Int, _ digits: Digits, _ match: inout Match, _ next: Next) -> Bool {
    guard child >= 0 else { return next(place, &match) }
    return run(child, place, digits, &match) { sequence(nodes[Int(child)].next, $0, digits, &$1, next) }
  }

  private func repetition(
    _ node: DigitPattern.Node, _ count: UInt8, _ place: Int, _ digits: Digits, _ match: inout Match, _ next: Next
  ) -> Bool {
    if count < node.most,
      run(node.child, place, digits, &match, { repetition(node, count + 1, $0, digits, &$1, next) })
    {
      return true
    }
    return count >= node.least && next(place, &match)
  }
}

extension DigitPattern {
  /// The pattern in memory of the plans.
  func kept(in memory: PlanMemory) -> PrefixPattern {
    PrefixPattern(nodes: memory.keep(nodes), root: root, groups: groups)
  }

  func match(_ digits: UnsafeBufferPointer<UInt8>) -> PrefixPattern.Match? {
    nodes.withUnsafeBufferPointer { PrefixPattern(nodes: $0, root: root, groups: groups).match(digits) }
  }
}
