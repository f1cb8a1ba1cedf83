// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import PostgreSQL

@Suite(.timeLimit(.minutes(5))) struct ProcessTests {
  @Test func `the postmaster is in a session of its own`() async throws {
    try await withWorkplace { place in
      let postgres = try await place.start()
      let pid = try #require(postgres.postmasterPID)
      #expect(getsid(pid) == pid)
      #expect(getpgid(pid) == pid)
      try await postgres.stop()
    }
  }

  @Test func `the postmaster inherits no files and no environment`() async throws {
    try await withWorkplace { place in
      let leak = open("/dev/null", O_RDONLY)
      defer { close(leak) }
      let file = place.folder + "/leak"
      let descriptor = open(file, O_RDWR | O_CREAT, 0o600)
      defer { close(descriptor) }
      setenv("PGDATA", "/nonexistent", 1)
      defer { unsetenv("PGDATA") }
      let postgres = try await place.start()
      let pid = try #require(postgres.postmasterPID)
      let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")
      let targets = files.map { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\($0)") }
      #expect(!targets.contains(file))
      let environment = try String(contentsOfFile: "/proc/\(pid)/environ", encoding: .utf8)
      #expect(!environment.contains("nonexistent"))
      try await postgres.stop()
    }
  }

  @Test func `a cancelled start releases the folder`() async throws {
    try await withWorkplace { place in
      let begun = AsyncStream<Void>.makeStream()
      let start = Task {
        try await EmbeddedPostgres.start(place.options(), logger: quiet) { _ in begun.continuation.yield() }
      }
      for await _ in begun.stream { break }
      start.cancel()
      if let postgres = try? await start.value { try await postgres.stop() }
      let postgres = try await place.start()
      try await postgres.stop()
    }
  }

  @Test func `the output and status of a program are returned`() throws {
    let result = try ChildProcess.run(["/bin/sh", "-c", "pwd; echo to error >&2; exit 3"])
    #expect(result.output == "/\nto error\n")
    #expect(ChildProcess.describe(result.status) == "exit code 3")
    let killed = try ChildProcess.run(["/bin/sh", "-c", "kill -9 $$"])
    #expect(ChildProcess.describe(killed.status) == "signal 9")
    #expect(throws: EmbeddedPostgresError.self) { _ = try ChildProcess.run(["/nonexistent/program"]) }
  }

  @Test func `the error without binaries names the package to install`() {
    let error = #expect(throws: EmbeddedPostgresError.self) {
      _ = try ServerBinaries.find(wantedVersion: nil, path: "/nonexistent", packages: "/nonexistent")
    }
    #expect(error?.description.contains("apt install postgresql") == true)
    let chosen = #expect(throws: EmbeddedPostgresError.self) {
      _ = try ServerBinaries.find(wantedVersion: nil, in: "/nonexistent/")
    }
    #expect(chosen?.description.contains("/nonexistent cannot be used") == true)
  }

  @Test func `the binaries in the search path are found`() throws {
    let known = try ServerBinaries.find(wantedVersion: nil)
    let found = try ServerBinaries.find(
      wantedVersion: known.version, path: "/nonexistent:\(known.folder)/", packages: "/nonexistent")
    #expect(found == known)
  }

  @Test func `the log file has a size limit`() async throws {
    try await withWorkplace { place in
      let log = ServerLog(path: place.folder + "/log", limit: 100)
      let descriptor = try log.open()
      defer { close(descriptor) }
      func add(_ text: String) { _ = write(descriptor, text, text.utf8.count) }
      add(String(repeating: "a line\n", count: 14))
      log.bound()
      #expect(log.size == 98)
      add("the last line\n")
      log.bound()
      #expect(log.size == 0)
      #expect(ServerLog(path: log.path + ".1").tail(from: 0, lines: 2) == "a line\nthe last line")
      add("a new line\n")
      #expect(log.tail(from: 0) == "a new line")
    }
  }
}
