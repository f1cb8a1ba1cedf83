public import Foundation
public import PostgreSQL

/// What a benchmark has to know of the PostgreSQL it measures.
public struct BenchmarkSettings: Sendable, Codable, Equatable {
  /// `on` or `off`, as the server says.
  public let fsync: String
  /// `on`, `off`, `local`, `remote_write` or `remote_apply`.
  public let synchronousCommit: String
  /// `on` or `off`.
  public let fullPageWrites: String
  /// PostgreSQL's own, such as `15.14`.
  public let version: String
  /// `max_connections`.
  public let maximumConnections: Int
  /// Clients that are connected just now.
  public let usedConnections: Int

  /// Whether a commit that was answered is on disk.
  public var isDurable: Bool {
    fsync == "on" && synchronousCommit != "off"
  }
}

/// A schema beside the real one with the same tables, empty, for what a benchmark writes by itself.
///
/// One benchmark at a time: it takes away what an interrupted one left.
public struct BenchmarkStore: Sendable {
  private let connection: PostgresConnection

  /// The scratch schema's name, for the search path of pgbench.
  public static let schema = BenchmarkSchema.name

  /// - Parameter connection: the store's alone; its search path changes.
  public init(connection: PostgresConnection) {
    self.connection = connection
  }

  /// Makes the schema, with the migrations' tables, partitions for today, and bare tables.
  public func prepare(migrations folder: String, at time: Date) async throws {
    try await connection.execute(script: BenchmarkSchema.drop)
    try await connection.execute(script: BenchmarkSchema.create)
    try await connection.execute(script: BenchmarkSchema.enter)
    try await PostgresMigrator(folder: folder).migrate(on: connection)
    try await connection.execute(script: BenchmarkSchema.tables)
    let month = Month(containing: time)
    for month in [month, month.next] {
      try await connection.execute(script: CreateReportPartition(month: month).script)
    }
  }

  /// Removes the schema and all in it.
  public func drop() async throws {
    try await connection.execute(script: BenchmarkSchema.drop)
  }

  /// What the server is set to.
  public func settings() async throws -> BenchmarkSettings {
    try await connection.run(DurabilityOfServer())[0]
  }

  /// Rows that are in the scratch schema's tables.
  public func rowCounts() async throws -> (reports: Int, bare: Int) {
    try await connection.run(CountBenchmarkRows())[0]
  }

  /// Writes all dirty pages, so that the next measurement does not pay for the last one.
  /// - Returns: false when the role may not.
  public static func checkpoint(on connection: PostgresConnection) async throws -> Bool {
    do {
      try await connection.execute(script: "CHECKPOINT")
      return true
    } catch let error as PostgresError where error.sqlState == "42501" {
      return false
    }
  }

  /// Copies reports into a bare table, in one COPY.
  /// - Returns: how long the COPY took.
  public func copy(_ reports: [Report], receivedAt: Date) async throws -> Duration {
    let rows = reports.map { BareReportRow(report: $0, receivedAt: receivedAt) }
    let start = ContinuousClock.now
    try await connection.copyIn(BenchmarkSchema.copy, rows: rows)
    return ContinuousClock.now - start
  }
}
