// SPDX-License-Identifier: Apache-2.0

public import PostgreSQL

/// Finds numbers by a prefix, by an ending, or by the beginning of a moderator's label.
///
/// A prefix is a few intervals of the primary key, one for each length of a number: the cost depends on the returned
/// rows, not on the size of the table. An ending needs six digits or more, and is searched among listed and decided
/// numbers through an index of the last six. Digits from the middle would need a full scan; the page asks for more
/// digits instead.
public struct SearchStore: Sendable {
  private let pool: PostgresPool

  /// The fewest digits of an ending.
  public static let leastEnding = 6

  /// - Parameter pool: where numbers are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Reported and decided numbers that begin with these digits, ascending.
  /// - Parameters:
  ///   - digits: of E.164, 1 to 15, the first not 0.
  ///   - after: the last number of the page before; 0 for the first page.
  public func numbers(beginningWith digits: Int64, after: Int64, limit: Int) async throws -> [NumberLine] {
    guard digits > 0 else { return [] }
    // All intervals in one round trip: most are empty, and one query after the other would take longer.
    var pipeline = PostgresPipeline()
    pipeline.add(KeepPlans())
    let places = SearchRange.beginning(with: digits).filter { $0.greatest > after }.map { range in
      (
        reported: pipeline.add(FindReportedNumbers(range: range, after: after, limit: limit)),
        decided: pipeline.add(FindDecidedNumbers(range: range, after: after, limit: limit))
      )
    }
    return try await pool.withConnection { [pipeline] connection in
      let results = try await connection.snapshot(pipeline)
      var found: [Int64] = []
      for place in places where found.count < limit {
        found += Set(try results.rows(place.reported) + results.rows(place.decided)).sorted()
      }
      return try await connection.run(ReadNumberLines(numbers: Array(found.prefix(limit))))
    }
  }

  /// Listed and decided numbers that end with these digits, ascending.
  /// - Parameters:
  ///   - digits: ``leastEnding`` to 15 of them.
  ///   - after: the last number of the page before; 0 for the first page.
  /// - Returns: nothing for fewer digits.
  public func numbers(endingWith digits: String, after: Int64, limit: Int) async throws -> [NumberLine] {
    guard (Self.leastEnding...15).contains(digits.utf8.count), let ending = Int64(digits), ending >= 0 else {
      return []
    }
    let size = (0..<digits.utf8.count).reduce(Int64(1)) { size, _ in size * 10 }
    return try await pool.withConnection { connection in
      let found = try await connection.run(
        FindNumbersEndingWith(six: ending % 1_000_000, ending: ending, size: size, after: after, limit: limit))
      return try await connection.run(ReadNumberLines(numbers: found))
    }
  }

  /// Decided numbers whose label has a prefix, ascending by number.
  /// - Parameters:
  ///   - text: 2 characters or more; case is ignored.
  ///   - after: the last number of the page before; 0 for the first page.
  public func numbers(labelled text: String, after: Int64, limit: Int) async throws -> [NumberLine] {
    guard text.count >= 2, text.utf8.count <= 400, !text.utf8.contains(0) else { return [] }
    var pattern = ""
    for character in text.lowercased() {
      if character == "%" || character == "_" || character == "\\" { pattern.append("\\") }
      pattern.append(character)
    }
    return try await pool.withConnection { [pattern] connection in
      let found = try await connection.run(FindLabels(pattern: pattern + "%", after: after, limit: limit))
      return try await connection.run(ReadNumberLines(numbers: found))
    }
  }

  /// The data of these numbers for a list, ascending.
  public func lines(of numbers: [Int64]) async throws -> [NumberLine] {
    try await pool.run(ReadNumberLines(numbers: numbers.sorted()))
  }
}
