// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import PostgreSQL

/// Tests of the archive of the write-ahead log.
@Suite(.timeLimit(.minutes(5))) struct ArchiveTests {
  /// Runs a command of the configuration as PostgreSQL does: in the data's folder, with its placeholders replaced.
  private static func run(_ command: String, in folder: String, name: String) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.currentDirectoryURL = URL(filePath: folder)
    let filled = command.replacing("%f", with: name).replacing("%p", with: "pg_wal/\(name)").replacing("%%", with: "%")
    process.arguments = ["-c", filled]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test(arguments: ["archive", "it's 100% \"mine\""])
  func `a segment is copied once and never replaced`(_ name: String) async throws {
    try await withWorkplace { place in
      let (wal, archive) = ("\(place.folder)/pg_wal", "\(place.folder)/\(name)")
      for folder in [wal, archive] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      }
      let segment = "000000010000000000000007"
      let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      try content.write(to: URL(filePath: "\(wal)/\(segment)"))
      let command = ArchiveFolder(
        archive: EmbeddedPostgres.Archive(folder: archive, timeout: 60), account: try .current()
      ).command(folder: archive)
      for _ in 1...2 { #expect(try Self.run(command, in: place.folder, name: segment) == 0) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: archive) == ["\(segment).gz"])
      let kept = FileManager.default.contents(atPath: "\(archive)/\(segment).gz")

      try (content + [1]).write(to: URL(filePath: "\(wal)/\(segment)"))
      #expect(try Self.run(command, in: place.folder, name: segment) == 1)
      #expect(FileManager.default.contents(atPath: "\(archive)/\(segment).gz") == kept)

      try FileManager.default.removeItem(atPath: "\(wal)/\(segment)")
      let restore = ArchiveFolder.restoreCommand(archive)
      #expect(try Self.run(restore, in: place.folder, name: segment) == 0)
      #expect(FileManager.default.contents(atPath: "\(wal)/\(segment)") == content)
      #expect(try Self.run(restore, in: place.folder, name: "000000010000000000000008") != 0)
      // A damaged segment is not restored.
      try Data(try #require(kept).dropLast(9)).write(to: URL(filePath: "\(archive)/\(segment).gz"))
      #expect(try Self.run(restore, in: place.folder, name: segment) != 0)
    }
  }

  @Test func `the archive goes on and takes no other cluster`() async throws {
    try await withWorkplace { place in
      let archive = EmbeddedPostgres.Archive(folder: "\(place.folder)/archive", timeout: 60)
      func start(_ data: String, _ archiving: EmbeddedPostgres.Archiving) async throws -> EmbeddedPostgres {
        var options = ClusterFixture(folder: "\(place.folder)/\(data)").options()
        options.archiving = archiving
        return try await EmbeddedPostgres.start(options, logger: quiet)
      }
      func archives(_ postgres: EmbeddedPostgres) throws -> Bool {
        try query("SHOW archive_mode", postgres.dsn) == "on"
      }
      for (archiving, expected): (EmbeddedPostgres.Archiving, Bool) in [
        (.asBefore, false), (.on(archive), true), (.asBefore, true), (.off, false), (.asBefore, false),
        (.on(archive), true),
      ] {
        let postgres = try await start("one", archiving)
        #expect(try archives(postgres) == expected)
        #expect(try EmbeddedPostgres.archive(dataFolder: "\(place.folder)/one/data") == (expected ? archive : nil))
        try await postgres.stop()
      }
      // PostgreSQL copies the last segment when it stops.
      let names = try FileManager.default.contentsOfDirectory(atPath: archive.folder)
      #expect(names.contains { $0.hasSuffix(".gz") } && !names.contains { $0.hasSuffix(".new") })
      let status = try #require(FileStatus(archive.folder))
      #expect(status.mode & 0o777 == 0o700 && status.uid != 0 || geteuid() != 0)

      let other = await #expect(throws: EmbeddedPostgresError.self) { _ = try await start("two", .on(archive)) }
      #expect(other?.description.contains("it belongs to another data folder") == true)
      let inside = EmbeddedPostgres.Archive(folder: "\(place.folder)/one/data/archive", timeout: 60)
      let lost = await #expect(throws: EmbeddedPostgresError.self) { _ = try await start("one", .on(inside)) }
      #expect(lost?.description.contains("it is inside the data folder") == true)
      let full = EmbeddedPostgres.Archive(folder: "\(place.folder)/one", timeout: 60)
      let strange = await #expect(throws: EmbeddedPostgresError.self) { _ = try await start("two", .on(full)) }
      #expect(strange?.description.contains("\(place.folder)/one cannot be used as the archive") == true)
    }
  }
}
