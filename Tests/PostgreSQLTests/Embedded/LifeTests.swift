// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct LifeTests {
  @Test func `the first start creates the cluster and the second keeps its data`() async throws {
    try await withWorkplace { place in
      let first = try await place.start()
      try query("CREATE TABLE kept (n int); INSERT INTO kept VALUES (42)", first.dsn)
      #expect(first.postmasterPID != nil)
      try await first.stop()
      #expect(first.postmasterPID == nil)
      try await first.stop()

      let second = try await place.start()
      #expect(try query("SELECT n FROM kept", second.dsn) == "42")
      try await second.stop()
    }
  }

  @Test func `the cluster has checksums, no TCP listener and an ordinary role`() async throws {
    try await withWorkplace { place in
      let postgres = try await place.start()
      let expected = [
        "data_checksums": "on", "listen_addresses": "", "server_encoding": "UTF8", "lc_collate": "C.UTF-8",
        "timezone": "UTC", "wal_compression": "lz4", "shared_buffers": "16MB", "is_superuser": "off",
      ]
      for (setting, value) in expected { #expect(try query("SHOW \(setting)", postgres.dsn) == value, "\(setting)") }
      #expect(try query("SELECT current_user || '@' || current_database()", postgres.dsn) == "ringfence@ringfence")
      try query("CREATE DATABASE other TEMPLATE ringfence", postgres.dsn)
      #expect(try query("SELECT current_database()", postgres.dsn(database: "other")) == "other")
      try await postgres.stop()
    }
  }

  @Test func `an invalid setting name is refused`() async throws {
    try await withWorkplace { place in
      var options = place.options()
      options.settings["fsync = off\nport"] = "1"
      await #expect(throws: EmbeddedPostgresError.invalidSetting(name: "fsync = off\nport")) {
        _ = try await EmbeddedPostgres.start(options, logger: quiet)
      }
    }
  }

  @Test func `a setting that PostgreSQL refuses is reported from its log`() async throws {
    try await withWorkplace { place in
      var options = place.options()
      options.settings["max_connections"] = "many"
      let error = await #expect(throws: EmbeddedPostgresError.self) {
        _ = try await EmbeddedPostgres.start(options, logger: quiet)
      }
      #expect(error?.description.contains("max_connections") == true)
      // The failed start released the folder.
      let postgres = try await place.start()
      try await postgres.stop()
    }
  }

  @Test func `a second server on a folder is refused with the process ID of the first`() async throws {
    try await withWorkplace { place in
      let first = try await place.start()
      let folder = try #require(realpath(place.data, nil).map { String(cString: $0) })
      await #expect(throws: EmbeddedPostgresError.folderInUse(folder: folder, pid: getpid())) {
        _ = try await place.start()
      }
      #expect(try query("SELECT 1", first.dsn) == "1")
      try await first.stop()
    }
  }

  @Test func `the end of a command waits for others that use its cluster`() async throws {
    try await withWorkplace { place in
      let first = try await place.start()
      let joined = try #require(EmbeddedPostgres.Joined(dataFolder: place.data))
      let waiting = Mutex(false)
      let ended = Mutex(false)
      let stop = Task {
        waiting.withLock { $0 = true }
        try await first.stopAfterOthers()
        ended.withLock { $0 = true }
      }
      #expect(await eventually { waiting.withLock(\.self) })
      // Another command comes and goes, and the cluster still answers.
      let second = try #require(EmbeddedPostgres.Joined(dataFolder: place.data))
      #expect(try query("SELECT 1", second.dsn) == "1")
      second.end()
      #expect(try query("SELECT 1", joined.dsn) == "1")
      #expect(!ended.withLock(\.self) && first.postmasterPID != nil)
      joined.end()
      try await stop.value
      #expect(EmbeddedPostgres.Joined(dataFolder: place.data) == nil)
      // The next command starts it again.
      let third = try await place.start()
      #expect(try query("SELECT 1", third.dsn) == "1")
      try await third.stop()
    }
  }
}
