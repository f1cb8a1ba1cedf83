public import PostgreSQL

/// Finds numbers by a part of them, or by the beginning of a moderator's label.
///
/// A beginning is a few stretches of the primary key, one for each length a number may have: the cost is that of the rows
/// it shows, with 10,000,000 numbers as with ten. An ending needs six digits or more, and is looked for among what is
/// listed or decided, through an index of the last six. Digits from the middle would be a scan of everything; whoever has
/// only those is told to give more.
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
  ///   - after: the last number that was shown; 0 at first.
  public func numbers(beginningWith digits: Int64, after: Int64, limit: Int) async throws -> [NumberLine] {
    guard digits > 0 else { return [] }
    // All stretches in one round trip: most are empty, and asking one after the other would take longer than finding.
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
  ///   - after: the last number that was shown; 0 at first.
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

  /// Decided numbers whose label begins so, ascending by number.
  /// - Parameters:
  ///   - text: 2 characters or more; the case of letters does not count.
  ///   - after: the last number that was shown; 0 at first.
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

  /// What lines of a list say of these numbers, ascending.
  public func lines(of numbers: [Int64]) async throws -> [NumberLine] {
    try await pool.run(ReadNumberLines(numbers: numbers.sorted()))
  }
}
