// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Foundation
import Testing

/// Recovery after kill -9. The killed servers are separate processes (exit tests).
@Suite(.timeLimit(.minutes(5))) struct FaultTests {
  @Test func `a killed postmaster is started again`() async throws {
    try await withWorkplace { place in
      let postgres = try await place.start()
      try query("CREATE TABLE kept AS SELECT 42 AS n", postgres.dsn)
      let before = try #require(postgres.postmasterPID)
      kill(before, SIGKILL)
      #expect(await eventually { try query("SELECT n FROM kept", postgres.dsn) == "42" })
      #expect(await eventually { postgres.postmasterPID != nil })
      #expect(postgres.postmasterPID != before)
      try await postgres.stop()
    }
  }

  @Test func `stop and start work after the postmaster is killed`() async throws {
    try await withWorkplace { place in
      let first = try await place.start()
      try query("CREATE TABLE kept AS SELECT 42 AS n", first.dsn)
      kill(try #require(first.postmasterPID), SIGKILL)
      try await first.stop()
      let second = try await place.start()
      #expect(try query("SELECT n FROM kept", second.dsn) == "42")
      try await second.stop()
    }
  }

  @Test func `the cluster of a killed server ends with it and is recovered`() async throws {
    try await withWorkplace { place in
      await #expect(processExitsWith: .signal(SIGKILL)) { [place = place as ClusterFixture] in
        try await Self.serveAndBeKilled(in: place, diesWithParent: true)
      }
      let postgres = try await place.start()
      #expect(try query("SELECT n FROM kept", postgres.dsn) == "42")
      #expect(postgres.postmasterPID != Self.orphan(in: place))
      try await postgres.stop()
    }
  }

  @Test func `the cluster of a killed server ends without a new server`() async throws {
    try await withWorkplace { place in
      await #expect(processExitsWith: .signal(SIGKILL)) { [place = place as ClusterFixture] in
        try await Self.serveAndBeKilled(in: place, diesWithParent: true)
      }
      let orphan = try #require(Self.orphan(in: place))
      #expect(await eventually { !isRunning(orphan) })
    }
  }

  @Test func `a cluster that outlives its server is adopted`() async throws {
    try await withWorkplace { place in
      await #expect(processExitsWith: .signal(SIGKILL)) { [place = place as ClusterFixture] in
        try await Self.serveAndBeKilled(in: place, diesWithParent: false)
      }
      let orphan = try #require(Self.orphan(in: place))
      let postgres = try await place.start(diesWithParent: false)
      #expect(postgres.postmasterPID == orphan)
      #expect(try query("SELECT n FROM kept", postgres.dsn) == "42")
      try await postgres.stop()
      #expect(!isRunning(orphan))
    }
  }

  @Test func `an adopted postmaster that is killed is started again`() async throws {
    try await withWorkplace { place in
      await #expect(processExitsWith: .signal(SIGKILL)) { [place = place as ClusterFixture] in
        try await Self.serveAndBeKilled(in: place, diesWithParent: false)
      }
      let postgres = try await place.start(diesWithParent: false)
      kill(try #require(postgres.postmasterPID), SIGKILL)
      #expect(await eventually { try query("SELECT n FROM kept", postgres.dsn) == "42" })
      try await postgres.stop()
    }
  }

  @Test func `a start that binds the cluster to its server replaces an orphan`() async throws {
    try await withWorkplace { place in
      await #expect(processExitsWith: .signal(SIGKILL)) { [place = place as ClusterFixture] in
        try await Self.serveAndBeKilled(in: place, diesWithParent: false)
      }
      let orphan = try #require(Self.orphan(in: place))
      let postgres = try await place.start(diesWithParent: true)
      #expect(postgres.postmasterPID != orphan)
      #expect(!isRunning(orphan))
      #expect(try query("SELECT n FROM kept", postgres.dsn) == "42")
      try await postgres.stop()
    }
  }

  @Test func `an orphaned cluster that is killed too is recovered`() async throws {
    try await withWorkplace { place in
      await #expect(processExitsWith: .signal(SIGKILL)) { [place = place as ClusterFixture] in
        try await Self.serveAndBeKilled(in: place, diesWithParent: false)
      }
      kill(try #require(Self.orphan(in: place)), SIGKILL)
      let postgres = try await place.start()
      #expect(try query("SELECT n FROM kept", postgres.dsn) == "42")
      try await postgres.stop()
    }
  }

  @Test func `an interrupted initialization leaves nothing`() async throws {
    try await withWorkplace { place in
      await #expect(processExitsWith: .signal(SIGKILL)) { [place = place as ClusterFixture] in
        Thread.detachNewThread {
          while !Self.isInitialising(in: place.data) { usleep(1000) }
          kill(getpid(), SIGKILL)
        }
        _ = try await place.start()
      }
      #expect(Self.isInitialising(in: place.data))
      let postgres = try await place.start()
      #expect(!Self.isInitialising(in: place.data))
      #expect(try query("SELECT 1", postgres.dsn) == "1")
      try await postgres.stop()
    }
  }

  @Test func `a second process gets an error that names the process with the lock`() async throws {
    try await withWorkplace { place in
      let first = try await place.start()
      await #expect(processExitsWith: .success) { [place = place as ClusterFixture, holder = getpid() as pid_t] in
        let error = await #expect(throws: EmbeddedPostgresError.self) { _ = try await place.start() }
        #expect(error?.description.contains("process \(holder)") == true)
      }
      try await first.stop()
    }
  }

  private static func serveAndBeKilled(in place: ClusterFixture, diesWithParent: Bool) async throws {
    let postgres = try await place.start(diesWithParent: diesWithParent)
    try query("CREATE TABLE kept AS SELECT 42 AS n", postgres.dsn)
    try "\(postgres.postmasterPID ?? 0)".write(toFile: place.folder + "/orphan", atomically: true, encoding: .utf8)
    kill(getpid(), SIGKILL)
  }

  /// The postmaster of the server that was killed.
  private static func orphan(in place: ClusterFixture) -> pid_t? {
    (try? String(contentsOfFile: place.folder + "/orphan", encoding: .utf8)).flatMap { pid_t($0) }
  }

  private static func isInitialising(in data: String) -> Bool {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: data + "/postgresql")) ?? []
    return names.contains {
      $0.hasPrefix("initialising-")
        && FileManager.default.fileExists(atPath: "\(data)/postgresql/\($0)/PG_VERSION")
    }
  }
}
