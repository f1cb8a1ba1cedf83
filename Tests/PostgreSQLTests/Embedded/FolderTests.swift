// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import PostgreSQL

/// Data folders with difficult names or permissions.
@Suite(.timeLimit(.minutes(5))) struct FolderTests {
  @Test(arguments: ["it's a \"folder\" \\ with words", "a,b", "ü/データ"])
  func `a folder may have any name`(_ name: String) async throws {
    try await withWorkplace { place in
      let place = ClusterFixture(folder: place.folder + "/" + name)
      let postgres = try await place.start()
      #expect(try query("SELECT 1", postgres.dsn) == "1")
      try await postgres.stop()
    }
  }

  @Test func `the socket of a long path lies in a short private folder`() async throws {
    try await withWorkplace { place in
      let place = ClusterFixture(folder: place.folder + "/" + String(repeating: "long/", count: 20))
      let first = try await place.start()
      #expect(try query("SELECT 1", first.dsn) == "1")
      let socketFolder = try #require(realpath(place.data, nil)).withMemoryRebound(to: CChar.self, capacity: 1) {
        ClusterFolder.shortSocketFolder(for: String(cString: $0))
      }
      #expect(first.dsn.contains(socketFolder))
      #expect(try #require(FileStatus(socketFolder)).mode & 0o777 == 0o700)
      try await first.stop()
      #expect(FileStatus(socketFolder) == nil)

      // A folder that others can enter is not trusted.
      mkdir(socketFolder, 0o700)
      chmod(socketFolder, 0o755)
      defer { rmdir(socketFolder) }
      let error = await #expect(throws: EmbeddedPostgresError.self) { _ = try await place.start() }
      #expect(error?.description.contains(socketFolder) == true)
    }
  }

  /// A process that checks the lock holds it for a moment itself.
  @Test func `checking the address of a cluster does not prevent a start`() async throws {
    try await withWorkplace { place in
      let isOver = Mutex(false)
      Thread.detachNewThread { [folder = place.folder] in
        while !isOver.withLock(\.self) { _ = DataFolderLock.announcedAddress(folder: folder) }
      }
      defer { isOver.withLock { $0 = true } }
      for _ in 0..<3_000 { try DataFolderLock(folder: place.folder).release() }
      // The error names the holder at once, and the same process does not get the lock twice.
      let lock = try DataFolderLock(folder: place.folder)
      defer { lock.release() }
      #expect(throws: EmbeddedPostgresError.folderInUse(folder: place.folder, pid: getpid())) {
        _ = try DataFolderLock(folder: place.folder)
      }
    }
  }

  @Test func `only the owner can enter the cluster and its socket`() async throws {
    try await withWorkplace { place in
      let postgres = try await place.start()
      for (name, mode) in [("", geteuid() == 0 ? 0o710 : 0o700), ("/data", 0o700), ("/socket", 0o700)] {
        let status = try #require(FileStatus(place.data + "/postgresql" + name))
        #expect(status.mode & 0o777 == mode_t(mode), "postgresql\(name)")
      }
      // The cluster's own account cannot write in root's folder.
      if geteuid() == 0 { #expect(FileStatus(place.data + "/postgresql")?.uid == 0) }
      try await postgres.stop()
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root has folders that PostgreSQL cannot pass: run as root too"))
  func `a private folder of root is handed over to the account of the cluster`() async throws {
    try await withWorkplace { place in
      chmod(place.folder, 0o700)
      let first = try await place.start()
      try query("CREATE TABLE kept AS SELECT 42 AS n", first.dsn)
      let before = try #require(first.postmasterPID)
      kill(before, SIGKILL)
      #expect(await eventually { try query("SELECT n FROM kept", first.dsn) == "42" })
      try await first.stop()
      // The same cluster, when the folder has search permission.
      chmod(place.folder, 0o755)
      chmod(place.data, 0o711)
      let second = try await place.start()
      #expect(try query("SELECT n FROM kept", second.dsn) == "42")
      try await second.stop()
    }
  }

  @Test func `a new cluster of root gets a separate account`() throws {
    let accounts = ["ringfence", "postgres", "nobody"].enumerated().map { index, name in
      Account(name: name, uid: uid_t(900 + index), gid: gid_t(900 + index))
    }
    func chosen(from names: Set<String>) throws -> Account {
      try Account.forNewCluster { name in accounts.first { $0.name == name && names.contains(name) } }
    }
    #expect(try chosen(from: ["ringfence", "postgres", "nobody"]).name == "ringfence")
    #expect(try !chosen(from: ["ringfence"]).isShared)
    let shared = try chosen(from: ["postgres", "nobody"])
    #expect(shared.name == "postgres" && shared.isShared)
    #expect(throws: EmbeddedPostgresError.noUnprivilegedAccount) { _ = try chosen(from: ["nobody"]) }
    #expect(EmbeddedPostgresError.noUnprivilegedAccount.description.contains("useradd --system --user-group ringfence"))
  }

  @Test(.enabled(if: geteuid() == 0 && Account.find("ringfence") != nil, "root alone, with an account ringfence"))
  func `the cluster of root runs as its separate account`() async throws {
    try await withWorkplace { place in
      let postgres = try await place.start()
      let own = try #require(Account.find("ringfence"))
      #expect(FileStatus("/proc/\(try #require(postgres.postmasterPID))")?.uid == own.uid)
      #expect(FileStatus(place.data + "/postgresql/data")?.uid == own.uid)
      try await postgres.stop()
    }
  }

  @Test func `only the owner can enter the data folder`() async throws {
    try await withWorkplace { place in
      let postgres = try await place.start()
      #expect(try #require(FileStatus(place.data)).mode & 0o777 == 0o700)
      try await postgres.stop()
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user: run as root too"))
  func `an ordinary user runs the cluster as itself`() async throws {
    try await withWorkplace { place in
      chmod(place.folder, 0o777)
      await #expect(processExitsWith: .success) { [place = place as ClusterFixture] in
        let user = try #require(Account.find("nobody"))
        try #require(setgroups(0, nil) == 0 && setgid(user.gid) == 0 && setuid(user.uid) == 0)
        let postgres = try await place.start()
        let pid = try #require(postgres.postmasterPID)
        #expect(FileStatus("/proc/\(pid)")?.uid == user.uid)
        try query("CREATE TABLE kept AS SELECT 42 AS n", postgres.dsn)
        try await postgres.stop()
      }
      // Root continues that user's cluster as that user.
      let postgres = try await place.start()
      #expect(try query("SELECT n FROM kept", postgres.dsn) == "42")
      #expect(FileStatus("/proc/\(try #require(postgres.postmasterPID))")?.uid == Account.find("nobody")?.uid)
      try await postgres.stop()
      // And leaves nothing that would lock the user out.
      await #expect(processExitsWith: .success) { [place = place as ClusterFixture] in
        let user = try #require(Account.find("nobody"))
        try #require(setgroups(0, nil) == 0 && setgid(user.gid) == 0 && setuid(user.uid) == 0)
        let postgres = try await place.start()
        #expect(try query("SELECT n FROM kept", postgres.dsn) == "42")
        try await postgres.stop()
      }
    }
  }

  @Test func `a stale postmaster file does not prevent the start`() async throws {
    try await withWorkplace { place in
      // The process id in it belongs to a PostgreSQL process, but of another cluster.
      let other = ClusterFixture(folder: place.folder + "/other")
      let neighbour = try await other.start()
      let first = try await place.start()
      try await first.stop()
      try "\(try #require(neighbour.postmasterPID))\n\(place.data)/postgresql/data\n0\n5432\n".write(
        toFile: place.data + "/postgresql/data/postmaster.pid", atomically: true, encoding: .utf8)

      let second = try await place.start()
      #expect(try query("SELECT 1", second.dsn) == "1")
      #expect(try query("SELECT 1", neighbour.dsn) == "1")
      try await second.stop()
      try await neighbour.stop()
    }
  }

  @Test func `a cluster of another major version is refused and the version named`() async throws {
    try await withWorkplace { place in
      let first = try await place.start()
      try await first.stop()
      try "14\n".write(toFile: place.data + "/postgresql/data/PG_VERSION", atomically: false, encoding: .utf8)
      let error = await #expect(throws: EmbeddedPostgresError.self) { _ = try await place.start() }
      #expect(error?.description.contains("was made by PostgreSQL 14") == true)
    }
  }

  @Test func `a folder that cannot be created is named in the error`() async throws {
    try await withWorkplace { place in
      try Data().write(to: URL(filePath: place.data))
      let error = await #expect(throws: EmbeddedPostgresError.self) { _ = try await place.start() }
      #expect(error?.description.contains(place.data) == true)
    }
  }
}
