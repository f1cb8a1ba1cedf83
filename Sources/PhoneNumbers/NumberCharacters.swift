// SPDX-License-Identifier: Apache-2.0

/// The characters of a text with a telephone number: its parameters (RFC 3966), its extension, letters of a keypad, and
/// digits of every script.
struct NumberCharacters {
  /// A character: its code point, or for the digits of other scripts ``otherZero`` and the digit.
  private typealias Sign = UInt32
  private static let otherZero: Sign = 0x11_0000

  /// The number and what may follow it.
  private var text: [Sign]
  /// The digits at the end of the text, which may be an extension's.
  private var tail = Tail()
  /// Why the text has no number, if that is known.
  private var failure: NumberReader.Failure?
  /// The first digits as they are dialed, enough to tell an emergency number; none behind a plus.
  let dialedDigits: [UInt8]

  /// Whether the number begins with a plus.
  var hasPlus: Bool { text.first.map(Self.isPlus) ?? false }

  /// - Parameter hasPlus: whether to read as if a plus were in front.
  init(_ utf8: UnsafeBufferPointer<UInt8>, hasPlus: Bool) {
    let all = Self.signs(utf8, hasPlus: hasPlus)
    let possible = Self.possibleNumber(all)
    text = possible
    let dialed = possible.lazy.compactMap(Self.dialedDigit).prefix(NumberReader.maxEmergencyDigits + 1)
    dialedDigits = possible.first.map(Self.isPlus) ?? false ? [] : Array(dialed)
    if all.count > NumberReader.maxCharacters { failure = .tooLong }
    if all.contains(0x3B) { readParameters(all) }
    tail = Tail(text)
  }

  private mutating func readParameters(_ all: [Sign]) {
    if let place = Self.find(";phone-context=", in: all) {
      let context = all[(place + 15)...].prefix { $0 != 0x3B }
      if !Self.isContext(context) { failure = failure ?? .notANumber }
      let start = Self.find("tel:", in: all).map { $0 + 4 } ?? 0
      text = (context.first == 0x2B ? Array(context) : []) + (start < place ? Array(all[start..<place]) : [])
    }
    if let place = Self.find(";isub=", in: text), place > 0 { text.removeLast(text.count - place) }
  }

  /// Writes the digits of the number, and returns their count.
  func readDigits(into digits: UnsafeMutableBufferPointer<UInt8>, needsPlus: Bool) throws(NumberReader.Failure) -> Int {
    if let failure { throw failure }
    guard isViable(text[...], mayHaveExtension: true) else { throw .notANumber }
    guard hasPlus || !needsPlus else { throw .unknownCallingCode }
    var number = text[...]
    if let start = tail.places.first(where: { isExtension(from: $0) }),
      isViable(text[..<start], mayHaveExtension: false)
    {
      number = text[..<start]
    }
    // Three letters are no mistake.
    let isSpelled = number.count(where: Self.isLetter) > 2
    var count = 0
    for sign in number {
      guard let digit = isSpelled ? Self.keypadDigit(sign) : Self.digit(sign) else { continue }
      digits[count] = digit
      count += 1
    }
    return count
  }

  // MARK: - The form

  /// The text from its first digit or plus on, without signs at its end, and without a second number behind `/x`.
  private static func possibleNumber(_ all: [Sign]) -> [Sign] {
    guard let start = all.firstIndex(where: { isPlus($0) || digit($0) != nil }) else { return [] }
    var text = all[start...]
    while let last = text.last, last != 0x23, !isWord(last) { text.removeLast() }
    for index in text.indices where text[index] == 0x2F || text[index] == 0x5C {
      if text[(index + 1)...].first(where: { $0 != 0x20 }) == 0x78 { return Array(text[..<index]) }
    }
    return Array(text)
  }

  /// Whether a text has three digits with separators in front of each, and behind them letters too; two digits alone may be a
  /// short number.
  private func isViable(_ number: ArraySlice<Sign>, mayHaveExtension: Bool) -> Bool {
    if number.count == 2, number.allSatisfy({ Self.digit($0) != nil }) { return true }
    var (count, index) = (0, number.firstIndex { !Self.isPlus($0) } ?? number.endIndex)
    var third = number.endIndex
    while index < number.endIndex {
      let sign = number[index]
      if Self.digit(sign) != nil {
        count += 1
        if count == 3 { third = index }
      } else if !Self.isSeparator(sign), count < 3 || !Self.isLetter(sign) {
        break
      }
      index += 1
    }
    if index == number.endIndex { return count > 2 }
    return mayHaveExtension && tail.places.contains { third < $0 && $0 <= index && isExtension(from: $0) }
  }

  /// The value of `;phone-context=`: a number with a plus, or the name of a domain.
  private static func isContext(_ context: ArraySlice<Sign>) -> Bool {
    if context.first == 0x2B {
      return context.contains { digit($0) != nil }
        && context.dropFirst().allSatisfy { digit($0) != nil || [0x2D, 0x2E, 0x28, 0x29].contains($0) }
    }
    func isAlphanumeric(_ sign: Sign) -> Bool { isLetter(sign) || digit(sign) != nil }
    let labels = (context.last == 0x2E ? context.dropLast() : context).split(
      separator: 0x2E, omittingEmptySubsequences: false)
    return labels.last?.first.map(isLetter) ?? false
      && labels.allSatisfy { label in
        guard let first = label.first, let last = label.last else { return false }
        return isAlphanumeric(first) && isAlphanumeric(last) && label.allSatisfy { isAlphanumeric($0) || $0 == 0x2D }
      }
  }

  // MARK: - Extensions

  /// The digits at the end of a text, with `#` behind them, and the places where an extension may begin.
  private struct Tail {
    var (digits, count, hasHash, places) = (0..<0, 0, false, 0..<0)

    init() {}

    init(_ text: [Sign]) {
      hasHash = text.last == 0x23
      let end = text.count - (hasHash ? 1 : 0)
      var first = end
      while first > 0, digit(text[first - 1]) != nil { first -= 1 }
      guard 1...20 ~= end - first else { return }
      (digits, count) = (first..<end, end - first)
      var start = first
      while start > 0, digit(text[start - 1]) == nil { start -= 1 }
      places = start..<first
    }
  }

  /// Words for an extension, in lower case, and the most digits behind them: more the clearer the word is.
  private static let words: [(word: [Sign], maxDigits: Int)] = [
    ("extensión", 20), ("extensió", 20), ("extension", 20), ("extensio", 20), ("extensio\u{301}n", 20),
    ("extensio\u{301}", 20), ("extn", 20), ("ext", 20), ("xtensión", 20), ("xtensió", 20), ("xtension", 20),
    ("xtensio", 20), ("xtensio\u{301}n", 20), ("xtensio\u{301}", 20), ("xtn", 20), ("xt", 20), ("ｅｘｔｎ", 20),
    ("ｅｘｔ", 20), ("ｘｔｎ", 20), ("ｘｔ", 20), ("доб", 20), ("anexo", 20), ("x", 9), ("ｘ", 9), ("#", 9), ("＃", 9),
    ("~", 9), ("～", 9), ("int", 9), ("ｉｎｔ", 9),
  ].map { ($0.0.unicodeScalars.map(\.value), $0.1) }

  /// Whether the text from a place to its end is an extension: a sign or word for it, and digits.
  private func isExtension(from start: Int) -> Bool {
    let (first, count) = (tail.digits.lowerBound, tail.count)
    let front = text[start..<first]
    /// Whether nothing but a colon and separators is between a sign and the digits.
    func isFollowed(_ place: Int) -> Bool {
      guard place <= first else { return false }
      var rest = text[place..<first]
      if let sign = rest.first, [0x3A, 0x2E, 0xFF0E].contains(sign) { rest.removeFirst() }
      return rest.allSatisfy { $0 == 0x2C || $0 == 0x2D || Self.isBlank($0) }
    }
    if tail.hasHash, count <= 6, front.allSatisfy({ $0 == 0x2D || $0 == 0x20 }) { return true }
    if !tail.hasHash, front.count == 5, Self.isWord(";ext=", at: start, of: front) { return true }
    let sign = front.firstIndex { $0 != 0x2C && !Self.isBlank($0) } ?? first
    if sign < first, Self.isLetter(front[sign]) || front[sign] > 0x7D || front[sign] == 0x23 {
      let lowered = front[sign...].map(Self.lowercased)
      for (word, maxDigits) in Self.words where count <= maxDigits && lowered.starts(with: word) {
        if isFollowed(sign + word.count) { return true }
      }
    }
    // Programs that dial understand ;12 and ,,12.
    guard let mark = front.firstIndex(where: { !Self.isBlank($0) }) else { return false }
    if front[mark] == 0x3B { return count <= 15 && isFollowed(mark + 1) }
    let commas = front[mark...].prefix { $0 == 0x2C }.count
    return commas > 1 && count <= 15 && isFollowed(mark + 2)
      || commas > 0 && count <= 9 && (1...commas).contains { isFollowed(mark + $0) }
  }

  private static func isWord(_ word: String, at place: Int, of text: ArraySlice<Sign>) -> Bool {
    text[place...].lazy.map(lowercased).starts(with: word.unicodeScalars.lazy.map(\.value))
  }

  // MARK: - Characters

  private static func signs(_ utf8: UnsafeBufferPointer<UInt8>, hasPlus: Bool) -> [Sign] {
    var signs: [Sign] = hasPlus ? [0x2B] : []
    signs.reserveCapacity(utf8.count + 1)
    var place = 0
    while place < utf8.count {
      let byte = utf8[place]
      // The bytes are a string's, so each sequence is complete.
      let count = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      var value = count == 1 ? Sign(byte) : Sign(byte) & (0x7F >> Sign(count))
      for next in 1..<max(1, count) where place + next < utf8.count {
        value = value << 6 | Sign(utf8[place + next] & 0x3F)
      }
      signs.append(value < 0x660 ? value : sign(value))
      place += count
    }
    return signs
  }

  /// A code point as a sign.
  private static func sign(_ value: UInt32) -> Sign {
    // Punctuation and letters of Europe are no digits.
    guard !(0x1E00...0x303F ~= value), let properties = Unicode.Scalar(value)?.properties,
      properties.numericType == .decimal
    else { return value }
    return properties.numericValue.map { otherZero + Sign($0) } ?? value
  }

  private static func find(_ pattern: String, in text: [Sign]) -> Int? {
    let pattern = pattern.unicodeScalars.map(\.value)
    guard text.count >= pattern.count else { return nil }
    return (0...text.count - pattern.count).first { text[$0...].starts(with: pattern) }
  }

  private static func isPlus(_ sign: Sign) -> Bool { sign == 0x2B || sign == 0xFF0B }

  private static func isBlank(_ sign: Sign) -> Bool { sign == 0x20 || sign == 0x09 || sign == 0xA0 }

  private static func isLetter(_ sign: Sign) -> Bool { 97...122 ~= sign | 32 }

  /// Punctuation within numbers; x is in the place of a carrier in some countries.
  private static func isSeparator(_ sign: Sign) -> Bool {
    switch sign {
    // space ( ) * - . / X [ ] x ~
    case 0x20, 0x28, 0x29, 0x2A, 0x2D, 0x2E, 0x2F, 0x58, 0x5B, 0x5D, 0x78, 0x7E: true
    // Of other scripts: spaces, hyphens, dashes, a minus, a slash, brackets, tildes.
    case 0xA0, 0xAD, 0x200B, 0x2060, 0x3000, 0x2010...0x2015, 0x2212, 0x30FC, 0xFF0D...0xFF0F, 0xFF08, 0xFF09, 0xFF3B,
      0xFF3D, 0x2053, 0x223C, 0xFF5E:
      true
    default: false
    }
  }

  /// Whether a character is a letter or a number of any kind.
  private static func isWord(_ sign: Sign) -> Bool {
    if sign < 0x80 { return isLetter(sign) || 0x30...0x39 ~= sign }
    guard let properties = Unicode.Scalar(sign)?.properties else { return true }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: return true
    default: return properties.numericType != nil
    }
  }

  private static func digit(_ sign: Sign) -> UInt8? {
    if 0x30...0x39 ~= sign { return UInt8(sign - 0x30) }
    return sign >= otherZero ? UInt8(sign - otherZero) : nil
  }

  /// Small digits such as ² count too.
  private static func dialedDigit(_ sign: Sign) -> UInt8? {
    if sign < 0x80 || sign >= otherZero { return digit(sign) }
    guard let properties = Unicode.Scalar(sign)?.properties, properties.numericType == .digit else { return nil }
    return properties.numericValue.map { UInt8($0) }
  }

  /// The digit of a key by its letter.
  private static func keypadDigit(_ sign: Sign) -> UInt8? {
    guard sign < 0x80 else { return nil }
    guard isLetter(sign) else { return digit(sign) }
    let letter = sign | 32
    // Seven and nine have four letters.
    return UInt8(min(9, (letter - 97 - (letter > 114 ? 1 : 0)) / 3 + 2))
  }

  private static func lowercased(_ sign: Sign) -> Sign {
    if sign < 0x80 { return 65...90 ~= sign ? sign + 32 : sign }
    return Unicode.Scalar(sign)?.properties.lowercaseMapping.unicodeScalars.first?.value ?? sign
  }
}
