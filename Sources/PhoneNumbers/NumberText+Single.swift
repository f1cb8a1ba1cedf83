// SPDX-License-Identifier: Apache-2.0

extension NumberText {
  private static let separators = Set(" -./(),;:'\"]\n\t".unicodeScalars)
  /// Signs in front of a number that make it a comment, a rule or an expression.
  private static let frontSigns = Set("#!^\\=<>$&@|{~".unicodeScalars)
  /// Words in front of a number that is on no list.
  private static let exceptions: Set<String> = [
    "allow", "allowed", "allowlist", "except", "exception", "not", "ok", "remove", "removed", "safe", "trusted",
    "unblock",
    "unblocked", "white", "whitelist", "whitelisted",
  ]
  /// Words of phones and programs in the place of a number, which a keypad could spell.
  private static let absences: Set<String> = [
    "anonymous", "blocked", "caller", "hidden", "missing", "none", "null", "private", "restricted", "unavailable",
    "unknown",
    "withheld",
  ]

  /// Reads a text of at most one number: refuses free digits, and words behind a complete number.
  static func single(_ text: String, from place: DialingPlace) -> ParseOutcome {
    if isPlain(text) { return ParseOutcome(plain: text, from: place) }
    let scalars = Array(text.unicodeScalars)
    guard let start = scalars.firstIndex(where: { $0 == "+" || isDigit($0) }) else {
      return ParseOutcome(plain: text, from: place)
    }
    let front = scalars[..<start]
    let word = front.reversed().drop { separators.contains($0) }.prefix { $0.properties.isAlphabetic }
    if front.contains(where: freeSigns.contains) || isFreeWord(Array(word)) { return .refused(.placeholder) }
    let before = string(front)
    guard !front.contains(where: frontSigns.contains), !before.contains("--"), !before.contains("//"),
      !before.hasSuffix("-"), trimmed(before[...]) != "-",
      !before.lowercased().split(whereSeparator: { !$0.isLetter }).contains(where: { exceptions.contains(String($0)) }),
      !"/;".contains(before.first ?? " "), before.lowercased() != "rem ",
      NumberingPlan.isCallingCode(codeInParentheses(text) ?? "1")
    else { return .refused(.notANumber) }
    // A range of digits in parentheses, or hyphens in the place of digits.
    let tail = scalars.reversed().prefix { !isDigit($0) && !$0.properties.isAlphabetic }
    let parentheses = TextScanner.parentheses(in: text)
    let range = parentheses.lazy.compactMap(range).first
    guard range.map({ $0.count != $1.count || $0 > $1 }) ?? true, tail.count(where: { $0 == "-" }) < 2,
      !parentheses.contains(where: { $0.allSatisfy(\.isWhitespace) })
    else { return .refused(.placeholder) }
    var (free, words): ([Range<Int>], [Range<Int>]) = ([], [])
    var index = start
    while index < scalars.count {
      let scalar = scalars[index]
      var end = index + 1
      if scalar.properties.isAlphabetic {
        end = scalars[index...].firstIndex { !$0.properties.isAlphabetic } ?? scalars.count
        if isFreeWord(scalars[index..<end]) { free.append(index..<end) } else { words.append(index..<end) }
      } else if scalar == "." {
        end = scalars[index...].firstIndex { $0 != "." } ?? scalars.count
        if end - index > 1 { free.append(index..<end) }
      } else if freeSigns.contains(scalar) {
        free.append(index..<end)
      } else if !isDigit(scalar), !separators.contains(scalar), scalar != "+" || index > start {
        return .refused(.notANumber)
      }
      index = end
    }
    let letters = words.flatMap { scalars[$0].map { $0.properties.lowercaseMapping } }
    if letters.count > 2, Set(letters).count == 1 { return .refused(.placeholder) }
    if !free.isEmpty {
      // 030 23125123 # Survey
      if !words.isEmpty, free.allSatisfy({ scalars[$0.lowerBound] == "#" }) { return .refused(.notANumber) }
      return extended(scalars, free, words, from: place) ?? mask(scalars, free, words, from: place)
        ?? .refused(.placeholder)
    }
    let whole = ParseOutcome(plain: text, from: place)
    guard let word = words.first else { return whole }
    // A letter or two are a mistake, which libphonenumber leaves out.
    guard letters.count > 2 else { return .refused(.notANumber) }
    // Letters of a keypad complete a number; behind a complete one they are an extension's sign, or a remark.
    if scalars[..<word.lowerBound].count(where: isDigit) >= 5 {
      let number = ParseOutcome(plain: string(scalars[..<word.lowerBound]), from: place)
      if number.isNumber { return whole == number ? whole : .refused(.notANumber) }
    }
    return before.contains(where: \.isLetter) || !areOfKeypad(words, in: scalars) ? .refused(.notANumber) : whole
  }

  /// The digits of a calling code in parentheses, as in +(33).
  private static func codeInParentheses(_ text: String) -> Substring? {
    var scanner = TextScanner(text)
    guard scanner.take("+") != nil else { return nil }
    scanner.space()
    guard scanner.take("(") != nil, let code = scanner.digits(1...), scanner.take(")") != nil else { return nil }
    return code
  }

  /// The first and the last digits of a range, as in 123-129.
  private static func range(_ text: Substring) -> (Substring, Substring)? {
    var scanner = TextScanner(text)
    guard let first = scanner.digits(1...) else { return nil }
    scanner.space()
    guard scanner.take("-") != nil else { return nil }
    scanner.space()
    guard let last = scanner.digits(1...), scanner.isAtEnd else { return nil }
    return (first, last)
  }

  /// Whether words are letters of a keypad, as in 1-800-FLOWERS: behind a space they are capitals and follow a prefix of calls
  /// that are free for the caller, because any other word may follow digits.
  private static func areOfKeypad(_ words: [Range<Int>], in scalars: [Unicode.Scalar]) -> Bool {
    let texts = words.map { string(scalars[$0]) }
    guard texts.contains(where: { $0.count > 2 }) else { return false }
    return zip(words, texts).allSatisfy { range, word in
      let letters = scalars[range].map { $0.properties.isUppercase ? $0.value + 32 : $0.value }
      guard letters.allSatisfy({ 97...122 ~= $0 }), !absences.contains(word.lowercased()) else { return false }
      // ABCD means any digits.
      if word.lowercased().hasPrefix("abc") { return false }
      guard range.lowerBound > 0, scalars[range.lowerBound - 1].properties.isWhitespace else { return true }
      let digits = string(scalars[..<range.lowerBound].filter(isDigit)[...])
      return scalars[range].allSatisfy(\.properties.isUppercase) && beginsTollFree(digits)
    }
  }

  /// Whether digits begin as numbers that are free for the caller: 800, 808, 833, 1300, also behind 1 or 00.
  private static func beginsTollFree(_ digits: String) -> Bool {
    if digits.hasPrefix("1300") || digits.hasPrefix("1800") { return true }
    var scanner = TextScanner(digits)
    for _ in 0..<2 { _ = scanner.take("0") }
    _ = scanner.take("1")
    guard scanner.take("8") != nil else { return false }
    let next = scanner.rest.prefix(2)
    return ["00", "08"].contains(next) || next.count == 2 && next.allSatisfy { "2345678".contains($0) }
  }

  /// Whether letters are in the place of free digits: x alone, and with y, z and the N of dial plans.
  private static func isFreeWord(_ word: some Collection<Unicode.Scalar>) -> Bool {
    var isX = false
    for letter in word {
      switch letter {
      case "x", "X": isX = true
      case "n", "N", "y", "Y", "z", "Z": break
      default: return false
      }
    }
    return isX
  }

  /// The number before `x12` or `#12`, where it is complete; nil for anything else.
  private static func extended(
    _ scalars: [Unicode.Scalar], _ free: [Range<Int>], _ words: [Range<Int>], from place: DialingPlace
  ) -> ParseOutcome? {
    guard free.count == 1, free[0].count == 1, words.isEmpty, "xX#".unicodeScalars.contains(scalars[free[0].lowerBound])
    else { return nil }
    let digits = scalars[free[0].upperBound...].filter { !" .:)".unicodeScalars.contains($0) }
    guard (1...7).contains(digits.count), digits.allSatisfy(isDigit) else { return nil }
    let head = scalars[..<free[0].lowerBound]
    let number = ParseOutcome(plain: string(head), from: place)
    guard number.isNumber else { return nil }
    // Where longer numbers begin with these digits, a sign between digits may be one of them.
    let isApart = head.last.map { " ,;)".unicodeScalars.contains($0) } ?? false
    return isApart || NumberingPlan.lengths(of: number.digits).count == 1 ? number : nil
  }

  /// A clear mask: two or more free digits at the end that complete numbers, written as x or #, or all further digits, as
  /// one `*`.
  private static func mask(
    _ scalars: [Unicode.Scalar], _ free: [Range<Int>], _ words: [Range<Int>], from place: DialingPlace
  ) -> ParseOutcome? {
    let (first, count) = (free[0].lowerBound, free.reduce(0) { $0 + $1.count })
    guard words.isEmpty, !scalars[first...].contains(where: isDigit) else { return nil }
    let signs = free.flatMap { scalars[$0] }
    let isOpen = signs == ["*"] && free[0].upperBound == scalars.count && scalars[first - 1] != "."
    let isClosed = signs.allSatisfy { $0 == "x" || $0 == "X" } || signs.allSatisfy { $0 == "#" }
    guard isOpen || isClosed && 2...9 ~= count else { return nil }
    let head = string(scalars[..<first])
    for count in isOpen ? 1...9 : count...count {
      let size = repeatElement(Int64(10), count: count).reduce(1, *)
      for digit in 0...9 {
        let fill = String(repeating: "\(digit)", count: count)
        let number = ParseOutcome(plain: head + fill, from: place)
        guard number.isNumber, "\(number.digits)".hasSuffix(fill), number.digits >= size else { continue }
        return .mask(number.digits / size, free: isOpen ? 0 : count)
      }
    }
    return nil
  }
}
