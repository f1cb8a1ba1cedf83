// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import Publishing
import Synchronization
import TestSupport
import Testing

@testable import Fetching

/// Fetching from a folder: which files are fetched, and how they are put in place.
@Suite struct FetchTests {
  private static let numbers = (1...20_000).map { Int64($0) * 7_919 }

  private func inFolders(_ body: (inout PublicationFixture, String) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      var site = PublicationFixture("\(folder)/publications")
      try await body(&site, "\(folder)/out")
    }
  }

  private func sets(_ out: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(out)/sets").sorted()
  }

  @Test func `the first fetch is complete and later fetches use deltas`() async throws {
    try await inFolders { site, out in
      try site.publish(1, ["block": Self.numbers])
      let first = try await site.fetch(into: out)
      #expect(first.hasChanged && first.lines.contains("changed=true\nserial=1\nprevious_serial=0\n"))
      #expect(
        first.lines.contains("block_entries=20000\n") && first.lines.contains("block_file=current/block.rfpack\n"))

      let second = try await site.fetch(into: out)
      #expect(!second.hasChanged && second.lines.contains("changed=false\nserial=1\nprevious_serial=1\n"))
      #expect(try sets(out).count == 1)

      let manifest = try site.publish(2, ["block": Array(Self.numbers.dropFirst(5))])
      // Only the delta can have been read.
      let pack = "\(site.path)/\(manifest.packs[0].path)"
      try FileManager.default.moveItem(atPath: pack, toPath: "\(pack).hidden")
      let third = try await site.fetch(into: out)
      #expect(third.hasChanged && third.lines.contains("serial=2\nprevious_serial=1\n"))
      #expect(try PackDigest.ofFile("\(out)/current/block.rfpack").hex == manifest.packs[0].sha256)

      try FileManager.default.moveItem(atPath: "\(pack).hidden", toPath: pack)

      // The previous set stays for its readers; the one before that is removed.
      try site.publish(3, ["block": Self.numbers])
      try await site.fetch(into: out)
      #expect(try sets(out).map { $0.prefix(2) } == ["2-", "3-"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(out)/partial").isEmpty)
    }
  }

  @Test func `a new manifest of the same packs is not a change`() async throws {
    try await inFolders { site, out in
      var manifest = try site.publish(1, ["block": Self.numbers])
      try await site.fetch(into: out)
      manifest.serial = 2
      manifest.previous = try site.folder.manifest()?.link
      try site.reveal(manifest)
      let summary = try await site.fetch(into: out)
      #expect(!summary.hasChanged && summary.lines.contains("serial=2\nprevious_serial=1\n"))
      #expect(try sets(out).count == 2)
    }
  }

  /// Parts of the current set are not fetched again, and each is checked wherever it comes from.
  @Test func `manifest parts are fetched once and checked`() async throws {
    try await inFolders { site, out in
      var manifest = try site.publish(1, ["block": Self.numbers])
      try await site.fetch(into: out)
      manifest.serial = 2
      manifest.previous = try site.folder.manifest()?.link
      try site.reveal(manifest)
      for folder in ["bins", "descriptions"] {
        let parts = "\(site.path)/\(folder)"
        try FileManager.default.moveItem(atPath: parts, toPath: "\(parts).hidden")
      }
      #expect(try await site.fetch(into: out).lines.contains("changed=false\nserial=2\n"))
      #expect(try await site.fetch(into: out).lines.contains("changed=false\nserial=2\n"))

      for folder in ["bins", "descriptions"] {
        let parts = "\(site.path)/\(folder)"
        try FileManager.default.moveItem(atPath: "\(parts).hidden", toPath: parts)
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: parts).first)
        try site.damage("\(folder)/\(file)")
        await #expect {
          try await site.fetch(into: "\(out)-\(folder)")
        } throws: { error in
          if case FetchError.refused(.wrongFile) = error { true } else { false }
        }
        try site.damage("\(folder)/\(file)")
      }
      try await site.fetch(into: "\(out)-new")
    }
  }

  @Test func `an unknown format is refused with a list of the available formats`() async throws {
    try await inFolders { site, out in
      try site.publish(1, ["block": Self.numbers])
      do {
        try await site.fetch(into: out, choice: FetchChoice(formats: ["cvs"]))
        Issue.record("fetched")
      } catch FetchError.noSuchFormat(let name, let offered) {
        #expect(name == "cvs" && offered == ["csv"])
      }
      #expect(!FileManager.default.fileExists(atPath: "\(out)/current"))
    }
  }

  @Test func `variable names of a pack whose name begins with a digit are valid in a shell`() async throws {
    try await inFolders { site, out in
      try site.publish(1, ["2gis-block": [1_000_000]])
      let lines = try await site.fetch(into: out).lines.split(separator: "\n")
      #expect(lines.contains("_2gis_block_entries=1"))
      #expect(lines.allSatisfy { $0.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*=[^ ]*/) != nil })
    }
  }

  @Test func `only the requested packs are fetched`() async throws {
    try await inFolders { site, out in
      try site.publish(1, ["block": Self.numbers, "other": [1_000_000], "third": [2_000_000]])
      func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(out)/current").sorted()
      }
      try await site.fetch(into: out, choice: FetchChoice(packs: ["other"]))
      #expect(try files() == ["bins", "descriptions", "manifest.json", "other.rfpack"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(out)/current/descriptions").count == 1)
      try await site.fetch(into: out, choice: FetchChoice(packs: ["other", "third"], formats: ["csv"]))
      #expect(
        try files() == [
          "bins", "descriptions", "manifest.json", "other.csv", "other.rfpack", "third.csv", "third.rfpack",
        ])
      #expect(try String(contentsOfFile: "\(out)/current/third.csv", encoding: .utf8) == "2000000\n")
      await #expect(throws: FetchError.self) {
        try await site.fetch(into: out, choice: FetchChoice(packs: ["none"]))
      }
      #expect(try files().count == 7)
    }
  }

  @Test func `damaged or missing local files are fetched again`() async throws {
    try await inFolders { site, out in
      let manifest = try site.publish(1, ["block": Self.numbers])
      try await site.fetch(into: out)
      let pack = "\(out)/current/block.rfpack"
      try Data("damaged".utf8).write(to: URL(filePath: pack))
      #expect(try await site.fetch(into: out).hasChanged)
      #expect(try PackDigest.ofFile(pack).hex == manifest.packs[0].sha256)
      try FileManager.default.removeItem(atPath: "\(out)/current")
      try await site.fetch(into: out)
      #expect(try PackDigest.ofFile(pack).hex == manifest.packs[0].sha256)
    }
  }

  @Test func `a second fetch into a locked folder is refused`() async throws {
    try await inFolders { site, out in
      try site.publish(1, ["block": [1_000_000]])
      let lock = try FetchFolder.lock(out)
      await #expect(throws: FetchError.self) { try await site.fetch(into: out) }
      withExtendedLifetime(lock) {}
    }
  }

  /// A reader that opens `current` once has a complete set, however often it is replaced meanwhile.
  @Test func `a reader never sees files of two publications`() async throws {
    try await inFolders { site, out in
      try site.publish(1, ["a": [1_000_000], "b": [1_000_000]])
      try await site.fetch(into: out)
      let seen = Mutex<Set<Int64>>([])
      let isOver = Mutex(false)
      let (ended, end) = AsyncThrowingStream<Void, any Error>.makeStream()
      // On a separate thread, so that it reads independently of the other tasks.
      Thread.detachNewThread {
        do {
          while !isOver.withLock({ $0 }) {
            guard let serial = try Self.checkedSerial(of: out) else { continue }
            seen.withLock { _ = $0.insert(serial) }
          }
          end.finish()
        } catch {
          end.finish(throwing: error)
        }
      }
      func hasSeen(_ serial: Int64) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < deadline {
          if seen.withLock({ $0.contains(serial) }) { return true }
          await Task.yield()
        }
        return false
      }
      #expect(await hasSeen(1))
      for serial in 2...30 as ClosedRange<Int64> {
        try site.publish(serial, ["a": [1_000_000 + serial], "b": [2_000_000 + serial]])
        try await site.fetch(into: out)
      }
      #expect(await hasSeen(30))
      isOver.withLock { $0 = true }
      for try await _ in ended {}
    }
  }

  /// The serial of the set that `current` points at, after comparing its packs with its manifest; nil when it was
  /// removed while being read, two publications later.
  private static func checkedSerial(of out: String) throws -> Int64? {
    let set = try FileManager.default.destinationOfSymbolicLink(atPath: "\(out)/current")
    guard let shown = try? PublicationFolder(path: "\(out)/\(set)").manifest(),
      let a = try? PackDigest.ofFile("\(out)/\(set)/a.rfpack"),
      let b = try? PackDigest.ofFile("\(out)/\(set)/b.rfpack")
    else { return nil }
    #expect(shown.manifest.packs.map(\.sha256) == [a.hex, b.hex])
    return shown.manifest.serial
  }
}
