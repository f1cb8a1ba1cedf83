// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Testing

@Suite struct ErrorTests {
  private static let secrets = ["hunter2secret", "s3cret-value", "private_table", "SELECT", "someone", "/nonexistent"]

  private func leaks(_ text: String) -> [String] { Self.secrets.filter { text.contains($0) } }

  @Test func `error descriptions contain no values and no schema names`() async throws {
    try await withDatabase("errors") { connection in
      try await connection.execute(
        script: "DROP TABLE IF EXISTS private_table; CREATE TABLE private_table (id text PRIMARY KEY)")
      try await connection.query("INSERT INTO private_table VALUES (\("s3cret-value"))")
      let duplicate = try #require(
        await #expect(throws: PostgresError.self) {
          try await connection.query("INSERT INTO private_table VALUES (\("s3cret-value"))")
        })
      #expect(duplicate.sqlState == "23505")
      #expect(duplicate.constraint == "private_table_pkey")
      #expect(!duplicate.isRetryable)
      #expect(leaks("\(duplicate)").isEmpty, "\(duplicate)")
      #expect(duplicate.debugDescription.contains("s3cret-value"))
      #expect(duplicate.debugDescription.contains("INSERT INTO private_table"))
      let cast = try #require(
        await #expect(throws: PostgresError.self) {
          try await connection.query("SELECT \("s3cret-value")::bigint FROM private_table")
        })
      #expect(leaks("\(cast)").isEmpty, "\(cast)")
    }
  }

  @Test func `connection errors contain no password`() async throws {
    for dsn in [
      "host=/nonexistent user=someone password=hunter2secret", "postgres://someone:hunter2secret@%zz/x",
      "postgres://someone:hunter2secret@127.0.0.1:1/private_table?connect_timeout=2", "password=hunter2secret bogus=1",
      "hunter2secret", "postgres://someone:hunter2secret/x@127.0.0.1/y",
      "postgres://someone:x@hunter2secret@127.0.0.1/y",
    ] {
      let configuration = PostgresConfiguration(dsn)
      for text in ["\(configuration)", String(reflecting: configuration)] { #expect(!text.contains("hunter2secret")) }
      var dumped = ""
      dump(configuration, to: &dumped)
      #expect(!dumped.contains("hunter2secret"))
      let error = try #require(
        await #expect(throws: PostgresError.self) {
          _ = try await PostgresConnection.connect(configuration, logger: .quiet)
        })
      #expect([.connectionFailed, .invalidConfiguration].contains(error.kind))
      #expect(error.isRetryable == (error.kind == .connectionFailed))
      #expect(leaks("\(error)").isEmpty, "\(error)")
      #expect(!error.debugDescription.contains("hunter2secret"))
    }
  }

  @Test func `retryable SQLSTATE classes are those of the contract`() async throws {
    try await withDatabase("errors_classes") { connection in
      for (state, isRetryable) in [
        ("08006", true), ("57P01", true), ("57P03", true), ("40P01", true), ("40001", true), ("XX000", true),
        ("57014", false), ("23505", false), ("40002", false), ("XX001", false), ("53300", false),
      ] {
        let error = await #expect(throws: PostgresError.self) {
          try await connection.execute(
            script: "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '\(state)'; END $$")
        }
        #expect(error?.sqlState == state)
        #expect(error?.isRetryable == isRetryable, "\(state)")
      }
    }
  }

  @Test func `a configured application name overrides the default`() async throws {
    var configuration = try await ScratchCluster.shared.configuration(database: "errors_defaults")
    configuration.applicationName = "tests"
    let connection = try await PostgresConnection.connect(configuration, logger: .quiet)
    let row = try #require(
      try await connection.query("SELECT current_setting('application_name'), current_setting('client_encoding')").first
    )
    #expect(try row.decode(0, as: String.self) == "tests")
    #expect(try row.decode(1, as: String.self) == "UTF8")
    await connection.close()
  }
}
