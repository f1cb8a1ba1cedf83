// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL

/// Finds numbers by a prefix, by an ending, by the beginning of a moderator's label, or by a name in a directory.
///
/// A prefix is a few intervals of the primary key, one for each length of a number: the cost depends on the returned
/// rows, not on the size of the table. An ending is searched through indexes of the last six digits; for fewer digits,
/// each six that ends with them is looked up. A name in a directory is found by the beginnings of its words, through an
/// index of all words, which is made after an import. Digits from the middle need a scan of the numbers' keys. Names and
/// digits from the middle are searched for three seconds at most.
public struct SearchStore: Sendable {
  private let pool: PostgresPool

  /// The fewest digits of an ending.
  public static let minEnding = 3
  /// The fewest digits from the middle.
  public static let minMiddle = 4
  /// The most words of a name; further ones are ignored.
  private static let maxWords = 8

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Reported and decided numbers that begin with these digits, ascending.
  /// - Parameters:
  ///   - digits: of E.164, 1 to 15, the first not 0.
  ///   - after: the last number of the page before; 0 for the first page.
  public func numbers(beginningWith digits: Int64, after: Int64, limit: Int) async throws -> [SearchHit] {
    guard digits > 0 else { return [] }
    // All intervals in one round trip: most are empty, and one query after the other would take longer.
    var pipeline = PostgresPipeline()
    pipeline.add(SQL.keepPlans())
    let places = SearchRange.beginning(with: digits).filter { $0.greatest > after }.map { range in
      (
        reported: pipeline.add(SQL.findReportedNumbers(range: range, after: after, limit: limit)),
        decided: pipeline.add(SQL.findDecidedNumbers(range: range, after: after, limit: limit))
      )
    }
    return try await pool.withConnection { [pipeline] connection in
      let results = try await connection.snapshot(pipeline)
      var found: [Int64] = []
      for place in places where found.count < limit {
        found += Set(try results.rows(place.reported) + results.rows(place.decided)).sorted()
      }
      return try await connection.numberLines(Array(found.prefix(limit)))
    }
  }

  /// Listed, decided, waiting and reported numbers with these digits anywhere, ascending.
  /// - Parameters:
  ///   - digits: ``minMiddle`` to 15 of them.
  ///   - after: the last number of the page before; 0 for the first page.
  /// - Throws: ``SearchTimeout``; `PostgresError`.
  public func numbers(containing digits: String, after: Int64, limit: Int) async throws -> [SearchHit] {
    guard (Self.minMiddle...15).contains(digits.utf8.count), Int64(digits) != nil else { return [] }
    var pipeline = PostgresPipeline()
    pipeline.add(SQL.limitTime())
    let found = pipeline.add(SQL.findNumbersContaining(pattern: "%\(digits)%", after: after, limit: limit))
    return try await pool.withConnection { [pipeline] connection in
      let results = try await SearchTimeout.mapping { try await connection.snapshot(pipeline) }
      return try await connection.numberLines(try results.rows(found))
    }
  }

  /// Listed, decided, waiting and reported numbers that end with these digits, ascending.
  /// - Parameters:
  ///   - digits: ``minEnding`` to 15 of them.
  ///   - after: the last number of the page before; 0 for the first page.
  /// - Returns: nothing for fewer digits.
  public func numbers(endingWith digits: String, after: Int64, limit: Int) async throws -> [SearchHit] {
    guard (Self.minEnding...15).contains(digits.utf8.count), let ending = Int64(digits), ending >= 0 else {
      return []
    }
    let find = SQL.findNumbersEndingWith(ending: ending, count: digits.utf8.count, after: after, limit: limit)
    return try await pool.withConnection { connection in
      try await connection.numberLines(try await connection.run(find))
    }
  }

  /// Decided numbers whose label has a prefix, and numbers whose name in a directory has, for each word of the text, a word
  /// that begins with it; ascending by number.
  /// - Parameters:
  ///   - text: 2 characters or more; case is ignored.
  ///   - after: the last number of the page before; 0 for the first page.
  /// - Returns: the numbers, and the directories that were not searched because the index of their words is not made yet.
  /// - Throws: ``SearchTimeout``; `PostgresError`.
  public func numbers(
    labelled text: String, after: Int64, limit: Int
  ) async throws -> (hits: [SearchHit], unsearched: [String]) {
    guard text.count >= 2, text.utf8.count <= 400, !text.utf8.contains(0) else { return ([], []) }
    var pattern = ""
    for character in text.lowercased() {
      if character == "%" || character == "_" || character == "\\" { pattern.append("\\") }
      pattern.append(character)
    }
    let labels = SQL.findLabels(pattern: pattern + "%", after: after, limit: limit)
    let words = Self.words(text)
    return try await pool.withConnection { connection in
      // Of one snapshot, in which the entries of the sources stay.
      let (found, unsearched) = try await SearchTimeout.mapping {
        try await connection.transaction(.repeatableRead, readOnly: true) { connection in
          _ = try await connection.run(SQL.limitTime())
          let sources = try await connection.run(SQL.readDirectorySources())
          var found = Set(try await connection.run(labels))
          if let words {
            let searched = sources.filter(\.isSearchable).compactMap(\.generation)
            let names = SQL.findDirectoryNames(words: words, generations: searched, after: after, limit: limit)
            found.formUnion(try await connection.run(names))
          }
          return (found.sorted(), sources.filter { !$0.isSearchable }.map(\.name))
        }
      }
      return (try await connection.numberLines(Array(found.prefix(limit))), unsearched)
    }
  }

  /// The text search query of the first distinct words of a text, each as the beginning of a word; nil for a text
  /// without one.
  private static func words(_ text: String) -> String? {
    var words: [Substring] = []
    for word in text.split(whereSeparator: \.isWhitespace) where words.count < maxWords && !words.contains(word) {
      if word.contains(where: { $0.isLetter || $0.isNumber }) { words.append(word) }
    }
    guard !words.isEmpty else { return nil }
    return words.map { word in
      "'\(word.replacing("\\", with: "\\\\").replacing("'", with: "''"))':*"
    }.joined(separator: " & ")
  }

  /// The data of these numbers for a list, ascending.
  public func lines(of numbers: [Int64]) async throws -> [SearchHit] {
    try await pool.withConnection { try await $0.numberLines(numbers.sorted()) }
  }
}

/// A search took longer than three seconds.
public struct SearchTimeout: Error {
  fileprivate static func mapping<Result>(_ search: () async throws -> Result) async throws -> Result {
    do {
      return try await search()
    } catch let error as PostgresError where error.kind == .server(sqlState: "57014") {
      throw SearchTimeout()
    }
  }
}

extension PostgresConnection {
  fileprivate func numberLines(_ numbers: [Int64]) async throws -> [SearchHit] {
    guard !numbers.isEmpty else { return [] }
    var pipeline = PostgresPipeline()
    let lines = pipeline.add(SQL.readNumberLines(numbers: numbers))
    let names = pipeline.add(SQL.readNamesOfNumbers(numbers: numbers))
    let results = try await snapshot(pipeline)
    let byNumber = Dictionary(try results.rows(names).map { ($0.number, $0.name) }) { first, _ in first }
    let known = Dictionary(try results.rows(lines).map { ($0.number, $0) }) { $1 }
    return numbers.map { number in
      var line =
        known[number] ?? SearchHit(number: number, reports: 0, isBlocked: false, isHeld: false, hasAppeal: false)
      line.directoryName = byNumber[number]
      return line
    }
  }
}

/// A number in a list of numbers.
public struct SearchHit: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Reports that are not withdrawn.
  public var reports: Int64
  public var lastReportedAt: Date?
  /// The category in the newest publication; nil where it is not listed.
  public var listedAs: ReportCategory?
  /// Whether that publication blocks it.
  public var isBlocked: Bool
  public var decision: Decision.Treatment?
  public var label: String?
  public var isHeld: Bool
  public var hasAppeal: Bool
  /// Its name in the directory with precedence; nil where none has one.
  public var directoryName: String?
}

/// Numbers with the same prefix and length: an interval of the index.
struct SearchRange: Sendable, Equatable {
  let least: Int64
  let greatest: Int64

  /// The intervals of all numbers with a prefix, ascending.
  /// - Parameter digits: 1 to 15, the first not 0.
  static func beginning(with digits: Int64) -> [SearchRange] {
    var ranges: [SearchRange] = []
    var size: Int64 = 1
    while digits <= PhoneNumber.digitsRange.upperBound / size {
      ranges.append(SearchRange(least: digits * size, greatest: digits * size + size - 1))
      size *= 10
    }
    return ranges
  }
}
