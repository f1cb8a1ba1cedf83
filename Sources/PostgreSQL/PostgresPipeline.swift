// SPDX-License-Identifier: Apache-2.0

/// Independent statements that are sent together; see ``PostgresConnection/snapshot(_:)``.
///
/// A caller adds statements and keeps their places, so that statements from several callers share one round trip.
public struct PostgresPipeline: Sendable {
  /// The place of one statement's rows in the results.
  public struct Place<Row: Sendable>: Sendable {
    let index: Int
    let decode: @Sendable (PostgresRow) throws -> Row
  }

  /// The results of a pipeline.
  public struct Results: Sendable {
    let batches: [RowBatch]

    /// The rows of one statement.
    /// - Parameter place: from the pipeline of these results.
    /// - Throws: `PostgresError` for a value of another type than the statement expects.
    public func rows<Row>(_ place: Place<Row>) throws -> [Row] { try batches[place.index].decodeAll(place.decode) }
  }

  private(set) var statements: [PipelinedStatement] = []

  /// An empty pipeline.
  public init() {}

  /// Adds a statement; they run in the order in which they were added.
  @discardableResult
  public mutating func add<Row>(_ statement: Statement<Row>) -> Place<Row> {
    statements.append(PipelinedStatement(statement))
    return Place(index: statements.count - 1, decode: statement.decode)
  }
}
