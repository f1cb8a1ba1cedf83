// SPDX-License-Identifier: Apache-2.0

/// The content of a cell or a line that may hold several telephone numbers, and a remark behind them.
public struct NumberCell: Sendable {
  /// The longest cell with several numbers, and the longest with a remark, in bytes: both are searched for many forms.
  fileprivate static let (maxBytes, maxRemarkBytes) = (16_384, 1_000)
  /// The most numbers of a cell; the others are refused.
  static let maxNumbers = 1_000

  /// Each number of the plan once.
  public private(set) var numbers: [PhoneNumber] = []
  /// Each number once that has a possible length but is not in the plan.
  public private(set) var unassigned: [PhoneNumber] = []
  /// Masks, in the form `+493023125xxx` or `+4930*`.
  public private(set) var masks: [String] = []
  /// The reasons of parts that are no number; masks among them.
  public private(set) var refusals: [PhoneNumberError] = []

  fileprivate mutating func add(_ part: Result<PossibleNumber, PhoneNumberError>) {
    switch part {
    case .success(let part) where part.isAssigned: if !numbers.contains(part.number) { numbers.append(part.number) }
    case .success(let part): if !unassigned.contains(part.number) { unassigned.append(part.number) }
    case .failure(.empty): break
    case .failure(let error):
      refusals.append(error)
      if let mask = error.mask { masks.append(mask) }
    }
  }

  /// Whether a text says that there is no number.
  fileprivate static func saysNothing(_ text: String) -> Bool {
    ["na", "n/a", "n.a.", "-", "--", "none", "null", "nil", "nan", "n", "a"].contains(
      text.lowercased().filter { !$0.isWhitespace })
  }

  /// The text before a remark, or without one in parentheses; nil where there is none.
  fileprivate static func withoutRemark(_ text: String) -> String? {
    guard text.utf8.count <= maxRemarkBytes else { return nil }
    // The sign of an item in a list of Markdown, YAML or a word processor.
    var item = TextScanner(text)
    item.space()
    if item.take("-*•·‣▪–") != nil, item.space(),
      item.rest.first.map({ "+(".contains($0) || TextScanner.isDigit($0) }) == true,
      !item.rest.contains(where: \.isNewline)
    {
      return String(item.rest)
    }
    var (words, start) = ("", text.startIndex)
    for inner in TextScanner.parentheses(in: text) where isRemark(inner) {
      let isDate = 6...10 ~= inner.count && inner.allSatisfy { TextScanner.isDigit($0) || "./-".contains($0) }
      guard isDate || inner.contains(where: \.isLetter) else { continue }
      words += text[start..<text.index(before: inner.startIndex)]
      start = text.index(after: inner.endIndex)
    }
    if start > text.startIndex { return words + text[start...] }
    if let tab = text.firstIndex(of: "\t"), text[..<tab].contains(where: \.isNumber) { return String(text[..<tab]) }
    for isApart in [true, false] {
      guard let (head, remark) = divided(text, isApart: isApart), isRemark(remark), head.contains(where: \.isNumber)
      else { continue }
      return String(head)
    }
    return nil
  }

  /// The text before and behind the first sign of a comment: behind white space, or directly behind a digit. There # is a free
  /// digit, unless words follow it.
  private static func divided(_ text: String, isApart: Bool) -> (head: Substring, remark: Substring)? {
    func isLine(_ text: Substring) -> Bool { !text.contains(where: \.isNewline) }
    for index in text.indices.dropFirst() {
      let (before, rest) = (text[text.index(before: index)], text[index...])
      guard let sign = (isApart ? ["#", "//", ";", "--"] : ["#", "//"]).first(where: rest.hasPrefix) else { continue }
      let remark = rest.dropFirst(sign.count)
      if isApart {
        var head = text[..<index]
        while head.last?.isWhitespace == true { head.removeLast() }
        if before.isWhitespace, !head.isEmpty { return isLine(head) && isLine(remark) ? (head, remark) : nil }
      } else if TextScanner.isDigit(before) || before == ")",
        let first = remark.first(where: { !$0.isWhitespace }), !TextScanner.isDigit(first), first != "#"
      {
        return isLine(text[..<index]) && isLine(remark) ? (text[..<index], remark) : nil
      }
    }
    return nil
  }

  /// Whether a text has words, and not only signs of free digits.
  private static func isRemark(_ text: Substring) -> Bool {
    text.contains { $0.isLetter && !"xXnNyYzZ".contains($0) } || NumberText.isDate(NumberText.trimmed(text))
  }

  /// Whether no number of a line lacks digits of another, as 23126912 behind 030 23126911. Fields without a number do not
  /// count.
  public static func areComplete(_ fields: [String], region: String?) -> Bool {
    guard let place = try? DialingPlace(region, isInternational: true) else { return true }
    return NumberText.areComplete(fields.map(NumberText.cleaned).filter { mayBeNumber($0) }, place)
  }

  /// Whether a field of a line is one of its numbers, and not a date or a remark.
  public static func mayBeNumber(_ field: String) -> Bool {
    NumberText.digitCount(field[...]) >= 5 && !NumberText.isDate(NumberText.trimmed(field[...]))
  }
}

extension PhoneNumberParser {
  /// Reads a cell of a list: one number, several that are divided for certain, or masks; each with a remark at most.
  public mutating func readCell(_ text: String, region: String?, isInternational: Bool = false) -> NumberCell {
    var cell = NumberCell()
    guard text.utf8.count <= NumberCell.maxBytes else {
      cell.add(.failure(.tooLong))
      return cell
    }
    var pieces = [text]
    while let piece = pieces.popLast() {
      let outcome = Result { () throws(PhoneNumberError) in
        try parsePossible(piece, region: region, isInternational: isInternational)
      }
      if case .success(let part) = outcome, !part.isAssigned, let bare = NumberCell.withoutRemark(piece) {
        pieces.append(bare)
        continue
      }
      guard case .failure(let error) = outcome, error != .empty else {
        cell.add(outcome)
        continue
      }
      if NumberCell.saysNothing(piece) { continue }
      if let bare = NumberCell.withoutRemark(piece) {
        pieces.append(bare)
      } else if error == .severalNumbers || error == .tooLong,
        let parts = parts(of: piece, region: region, isInternational: isInternational)
      {
        for part in parts.dropFirst(NumberCell.maxNumbers) where !part.isEmpty { cell.add(.failure(.severalNumbers)) }
        pieces += parts.prefix(NumberCell.maxNumbers).reversed()
      } else {
        cell.add(outcome)
      }
    }
    return cell
  }

  /// The parts of a text with several numbers; nil where they cannot be told for certain.
  private func parts(of text: String, region: String?, isInternational: Bool) -> [String]? {
    guard let place = try? DialingPlace(region, isInternational: isInternational) else { return nil }
    let parts = NumberText.parts(of: NumberText.cleaned(text), from: place) ?? []
    return parts.count > 1 ? parts : nil
  }
}
