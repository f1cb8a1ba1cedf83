// SPDX-License-Identifier: Apache-2.0

/// The one reader of texts that may hold a telephone number. It reduces the forms in which people and programs write numbers
/// to those that the numbering plan's parser reads, and refuses placeholders, masks and several numbers.
///
/// Forms: `tel:` and `sip:…@…` URIs, `"Name" <sip:…>`, an apostrophe or `="…"` of a spreadsheet, its decimals (`.0`), marks of
/// direction, digits of every script. A remark behind a number is a matter of cells, see ``NumberCell``.
enum NumberText {
  /// Signs of a free digit besides letters. `#` also begins an extension.
  static let freeSigns = Set("*?_%#•●∙·█░▒◌□■…".unicodeScalars)
  /// Words between two numbers.
  private static let conjunctions: Set<String> = [
    "or", "and", "oder", "und", "bzw", "bzw.", "sowie", "ou", "et", "o", "u", "y", "e", "of", "en", "eller", "og",
    "och",
    "lub", "i", "или", "и", "&",
  ]

  /// Whether a text has only digits, a plus in front and usual separators, so that no form applies to it.
  static func isPlain(_ text: String) -> Bool {
    var (last, isInside, signs, first): (UInt8, Bool, Int, Int) = (0, false, 0, 0)
    var rest = text.utf8.count
    for byte in text.utf8 {
      rest -= 1
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): break
      case UInt8(ascii: ")") where (0x30...0x39).contains(last): isInside = false
      case UInt8(ascii: "(") where last != UInt8(ascii: "+"): isInside = true
      case UInt8(ascii: "-") where last != 0 && last != byte && rest > 0 && !isInside: signs += 1
      case UInt8(ascii: " ") where last != byte: break
      // The last digits may be decimals.
      case UInt8(ascii: ".") where last != byte && rest > 3: signs += 1
      case UInt8(ascii: "+") where last == 0: break
      default: return false
      }
      last = byte
      if signs == 0 { first += 1 }
    }
    // A date begins with a day, a month or a year.
    return signs < 2 || ![1, 2, 4].contains(first) || !isDate(text[...])
  }

  /// Whether a text is a date of digits, with a time or other words behind it: 28.11.2026, 2026-11-28. With two
  /// digits for the year it could be a number of six digits.
  static func isDate(_ text: Substring) -> Bool {
    guard text.utf8.count <= 40 else { return false }
    func isDay(_ day: Substring, _ month: Substring) -> Bool {
      guard let day = Int(day), let month = Int(month) else { return false }
      return 1...31 ~= day && 1...31 ~= month && min(day, month) <= 12
    }
    func ends(_ rest: Substring) -> Bool {
      rest.first.map { ($0.isWhitespace || $0 == "T" || $0 == ",") && !rest.dropFirst().contains(where: \.isNewline) }
        ?? true
    }
    func isYear(_ year: Substring?) -> Bool { year.map { $0.hasPrefix("19") || $0.hasPrefix("20") } ?? false }
    var scanner = TextScanner(text)
    if isYear(scanner.digits(4...4)) {
      guard scanner.take("-./") != nil, let month = scanner.digits(1...2), scanner.take("-./") != nil,
        let day = scanner.digits(1...2), ends(scanner.rest)
      else { return false }
      return isDay(day, month)
    }
    guard let day = scanner.digits(1...2), scanner.take("-./") != nil else { return false }
    scanner.space(atMost: 1)
    guard let month = scanner.digits(1...2), scanner.take("-./") != nil else { return false }
    scanner.space(atMost: 1)
    return isYear(scanner.digits(4...4)) && ends(scanner.rest) && isDay(day, month)
  }

  /// Reads a text of any form.
  static func outcome(of text: String, from place: DialingPlace) -> ParseOutcome {
    let clean = cleaned(text)
    guard !clean.isEmpty else { return .blank }
    guard let body = unwrapped(clean) else { return .refused(.notANumber) }
    if isPlain(body) { return ParseOutcome(plain: body, from: place) }
    if isDate(body.drop { !$0.isNumber && $0 != "+" }) { return .refused(.notANumber) }
    if let number = spreadsheetNumber(body, from: place) { return number }
    if parts(of: body, from: place) != nil { return .refused(.severalNumbers) }
    return single(body, from: place)
  }

  // MARK: - Forms

  /// The text with ASCII digits, signs and spaces in the place of similar ones, without invisible marks, and without white
  /// space around it.
  static func cleaned(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.isASCII {
        if scalar == "\r" { scalars.append("\n") }
        if scalar.value >= 0x20 || scalar.value == 0 || scalar == "\t" || scalar == "\n" { scalars.append(scalar) }
      } else if scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue {
        scalars.append(Unicode.Scalar(UInt8(ascii: "0") + UInt8(value)))
      } else if (0xFF01...0xFF5E).contains(scalar.value) {
        scalars.append(Unicode.Scalar(UInt8(scalar.value - 0xFEE0)))
      } else {
        switch (scalar, scalar.properties.generalCategory) {
        case ("х", _), ("Х", _), ("×", _): scalars.append("x")
        case ("’", _), ("‘", _), ("´", _): scalars.append("'")
        case ("⁄", _), ("∕", _): scalars.append("/")
        case ("−", _), (_, .dashPunctuation): scalars.append("-")
        case (_, .spaceSeparator): scalars.append(" ")
        case (_, .lineSeparator), (_, .paragraphSeparator): scalars.append("\n")
        case (_, .format): break
        default: scalars.append(scalar)
        }
      }
    }
    return String(trimmed(String(scalars)[...]))
  }

  /// The text without what surrounds a number in URIs, headers of SIP, and cells of spreadsheets; nil for the address of
  /// something else.
  private static func unwrapped(_ text: String) -> String? {
    var text = text[...]
    let inner = TextScanner.parentheses(in: text, ("<", ">")).first { inner in
      let rest = text[inner.endIndex...].dropFirst()
      return rest.isEmpty || rest.first == ";" && !rest.contains(where: \.isNewline)
    }
    if let inner { text = trimmed(inner) }
    text = text.drop { "='\" ".contains($0) }
    // Marks of direction that an export could not encode.
    if text.first == "?", text.dropFirst().first.map({ $0 == "+" || $0.isNumber }) == true {
      text = text.dropFirst().last == "?" ? text.dropFirst().dropLast() : text.dropFirst()
    }
    while let last = text.last, "'\",;: ".contains(last) { text.removeLast() }
    let scheme = text.prefix { $0 != ":" }.lowercased()
    guard ["tel", "callto", "sip", "sips"].contains(scheme), scheme.count < text.count else {
      return String(withoutParameters(text))
    }
    text = trimmed(text.dropFirst(scheme.count + 1).drop { $0 == "/" })
    // Digits behind a comma are dialed after a pause.
    guard scheme.hasPrefix("sip") else { return String(withoutParameters(text).prefix { $0 != "," }) }
    let encoded = withoutParameters(text.prefix { $0 != "@" })
    let user = ["%2B", "%2b"].reduce(String(encoded)) { TextScanner.replacing($1, by: "+", in: $0) }
    // A host alone may be an address of digits.
    guard user.hasPrefix("+") || text.contains("@"), user.allSatisfy({ "+0123456789-.()".contains($0) }) else {
      return nil
    }
    return user
  }

  private static let parameters = ["ext=", "isub=", "phone-context=", "user=", "transport=", "tag=", "rn=", "cpc="]

  /// The text before parameters such as `;ext=12`, behind a global `;phone-context=`.
  private static func withoutParameters(_ text: Substring) -> Substring {
    var (number, context): (Substring?, Substring?)
    for index in text.indices where text[index] == ";" {
      let rest = text[index...].dropFirst()
      var parameter = TextScanner(rest)
      if number == nil {
        let isFlag =
          ["npdi", "lr"].contains { parameter.take(word: $0) }
          && parameter.rest.first.map { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? true
        parameter = TextScanner(rest)
        parameter.space()
        if isFlag || parameters.contains(where: { parameter.take(word: $0) }) { number = text[..<index] }
      }
      var scanner = TextScanner(rest.hasPrefix("phone-context=+") ? rest.dropFirst(15) : "")
      if context == nil { context = scanner.digits(1...) }
    }
    guard let number else { return text }
    return context.map { number.hasPrefix("+") ? number : "+\($0)\(number)"[...] } ?? number
  }

  /// The number of a cell that a spreadsheet has made a decimal or grouped by thousands; nil for another text. A leading zero
  /// of the national form is lost then.
  private static func spreadsheetNumber(_ text: String, from place: DialingPlace) -> ParseOutcome? {
    if isPowerOfTen(text) { return .refused(.decimal) }
    var whole = text.hasPrefix("+") ? "+" : ""
    var scanner = TextScanner(text.dropFirst(whole.count))
    if let digits = scanner.digits(7...) {
      guard scanner.take(".,") != nil, let decimals = scanner.digits(1...6), scanner.isAtEnd else { return nil }
      guard decimals.allSatisfy({ $0 == "0" }) else { return decimals.count < 3 ? .refused(.decimal) : nil }
      whole += digits
    } else {
      guard let first = scanner.digits(1...3), let sign = scanner.rest.first, ",'".contains(sign) else { return nil }
      var groups = 0
      whole += first
      while scanner.take(String(sign)) != nil {
        guard let group = scanner.digits(3...3) else { return nil }
        whole += group
        groups += 1
      }
      let hasDecimals = scanner.take(".") != nil
      let decimals = hasDecimals ? scanner.digits(1...) : "0"
      guard groups >= 2, scanner.isAtEnd, decimals?.allSatisfy({ $0 == "0" }) == true else { return nil }
    }
    let number = ParseOutcome(plain: whole, from: place)
    guard !number.isNumber, place.code != nil, !whole.hasPrefix("+"), !whole.hasPrefix("0") else { return number }
    whole = "0\(whole)"
    let national = ParseOutcome(plain: whole, from: place)
    return national.isNumber ? national : number
  }

  /// Whether a text is a power of ten as 4.93E+11.
  private static func isPowerOfTen(_ text: String) -> Bool {
    var scanner = TextScanner(text)
    _ = scanner.take("+-")
    guard scanner.digits(1...) != nil else { return false }
    if scanner.take(".,") != nil { _ = scanner.digits(0...) }
    scanner.space()
    guard scanner.take("eE") != nil else { return false }
    scanner.space()
    _ = scanner.take("+-")
    return scanner.digits(1...3) != nil && scanner.isAtEnd
  }

  // MARK: - Several numbers

  /// The texts of several numbers; empty where they cannot be told for certain, nil for a text of one number.
  static func parts(of text: String, from place: DialingPlace) -> [String]? {
    let sure = dividedForCertain(text)
    if sure.count > 1 {
      guard areComplete(sure, place) else { return [] }
      return sure.flatMap { part in
        let parts = parts(of: part, from: place) ?? []
        return parts.isEmpty ? [part] : parts
      }
    }
    var (found, rest) = ([String](), sure.first ?? text)
    while found.count <= NumberCell.maxNumbers, let (head, tail) = divided(rest, place) {
      found.append(head)
      rest = tail
    }
    guard !found.isEmpty else { return nil }
    found.append(rest)
    return found.allSatisfy { isNumber($0[...], place) } && areComplete(found, place) ? found : []
  }

  /// The first number and the text behind it; nil where there is no second number. A slash, comma or gap is part of one
  /// number, unless a complete number is before it.
  private static func divided(_ text: String, _ place: DialingPlace) -> (head: String, tail: String)? {
    var last: Character?
    for index in text.indices {
      defer { last = text[index] }
      let isGap = text[index] == " " && last == " "
      guard isGap || "/,\t".contains(text[index]) else { continue }
      let (head, tail) = (trimmed(text[..<index]), trimmed(text[text.index(after: index)...]))
      guard digitCount(head) >= 5, tail.contains(where: { $0.isNumber || isFree($0) }) else { continue }
      let begins = tail.first.map { "+0(".contains($0) } ?? false
      guard isNumber(head, place) || begins && isNumber(tail, place) else { continue }
      return (String(head), String(tail.drop { "/, \t".contains($0) }))
    }
    return nil
  }

  /// Whether no part lacks digits of another, as 137 in 030 23125136 and 137, or 23125124 behind +49 30 23125123.
  static func areComplete(_ parts: [String], _ place: DialingPlace) -> Bool {
    let starts = Set(parts.compactMap { $0.first { $0 == "+" || $0.isNumber } }.map { "+0".contains($0) })
    return (starts.count <= 1 || place.isNorthAmerican)
      && !parts.contains { 1...4 ~= digitCount($0[...]) && !$0.contains(where: \.isLetter) }
  }

  private static func isFree(_ character: Character) -> Bool {
    character == "x" || character == "X" || character.unicodeScalars.allSatisfy(freeSigns.contains)
  }

  private static func isNumber(_ text: Substring, _ place: DialingPlace) -> Bool {
    text.utf8.count <= 250 && digitCount(text) >= 5 && single(String(text), from: place).isNumber
  }

  /// The text, divided at signs and words that are never within a number.
  private static func dividedForCertain(_ text: String) -> [String] {
    var parts: [[Substring]] = [[]]
    let words = TextScanner.replacing(":::", by: ";", in: text).split(separator: " ", omittingEmptySubsequences: false)
    var previous: Character?
    for (index, word) in words.enumerated() {
      defer { previous = word.last ?? previous }
      let isBehindDigit = previous.map { $0.isNumber || $0 == ")" } ?? false
      if isBehindDigit, conjunctions.contains(word.lowercased()),
        words[(index + 1)...].first(where: { !$0.isEmpty })?.first.map({ $0.isNumber || "+(".contains($0) }) ?? false
      {
        parts.append([])
        continue
      }
      var (start, before) = (word.startIndex, isBehindDigit)
      for place in word.indices {
        let character = word[place]
        if ";|&\n".contains(character) {
          parts[parts.count - 1].append(word[start..<place])
          parts.append([])
          start = word.index(after: place)
        } else if character == "+", before {
          parts[parts.count - 1].append(word[start..<place])
          parts.append([])
          start = place
        }
        before = character.isNumber || character == ")"
      }
      parts[parts.count - 1].append(word[start...])
    }
    return parts.map { String(trimmed($0.joined(separator: " ")[...])) }.filter { !$0.isEmpty }
  }

  // MARK: - Characters

  static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }

  static func digitCount(_ text: Substring) -> Int { text.unicodeScalars.count(where: isDigit) }

  static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
