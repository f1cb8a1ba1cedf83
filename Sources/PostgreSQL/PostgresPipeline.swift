/// Statements that need nothing of each other and go to the server together; see ``PostgresConnection/snapshot(_:)``.
///
/// Whoever asks something adds it and keeps the place, so that questions from several places share one round trip.
public struct PostgresPipeline: Sendable {
  /// Where the rows of one statement are found in what comes back.
  public struct Place<Row: Sendable>: Sendable {
    let index: Int
    let decode: @Sendable (PostgresRow) throws -> Row
  }

  /// What came back.
  public struct Results: Sendable {
    let batches: [RowBatch]

    /// The rows of one statement.
    /// - Parameter place: of the pipeline whose results these are.
    /// - Throws: `PostgresError` for a value that is not what the statement says.
    public func rows<Row>(_ place: Place<Row>) throws -> [Row] { try batches[place.index].decodeAll(place.decode) }
  }

  private(set) var statements: [PipelinedStatement] = []

  /// Asks nothing yet.
  public init() {}

  /// Adds a statement; they run in the order in which they were added.
  @discardableResult
  public mutating func add<S: PostgresStatement>(_ statement: S) -> Place<S.Row> {
    statements.append(PipelinedStatement(statement))
    return Place(index: statements.count - 1, decode: S.decode)
  }
}
