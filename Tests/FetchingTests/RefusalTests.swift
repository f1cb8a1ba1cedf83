// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import Publishing
import TestSupport
import Testing

@testable import Fetching

/// Refusals, which leave the current set unchanged.
@Suite struct RefusalTests {
  private static let numbers = (1...5_000).map { Int64($0) * 7_919 }

  private func inFolders(_ body: (inout PublicationFixture, String) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      var site = PublicationFixture("\(folder)/publications")
      try await body(&site, "\(folder)/out")
    }
  }

  /// Expects a refusal that leaves the current set as it is.
  private func expectRefusal(
    _ out: String, _ isExpected: @escaping (UpdateError) -> Bool, location: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
  ) async {
    let before = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(out)/current")
    await #expect(sourceLocation: location) {
      try await body()
    } throws: { error in
      if case FetchError.refused(let reason) = error { isExpected(reason) } else { false }
    }
    #expect(
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(out)/current")) == before, sourceLocation: location
    )
  }

  @Test func `every changed byte of the manifest is refused`() async throws {
    try await inFolders { site, out in
      try site.publish(1, ["block": [1_000_000]])
      try await site.fetch(into: out)
      let whole = try Data(contentsOf: URL(filePath: site.folder.manifestPath))
      for offset in stride(from: 0, to: whole.count, by: max(1, whole.count / 60)) {
        try whole.write(to: URL(filePath: site.folder.manifestPath))
        try site.damage("manifest.json", at: offset)
        await expectRefusal(out, { _ in true }) { try await site.fetch(into: out) }
      }
    }
  }

  @Test func `a wrong pack is refused and a damaged delta is replaced by the pack`() async throws {
    try await inFolders { site, out in
      try site.publish(1, ["block": Self.numbers])
      try await site.fetch(into: out)
      let manifest = try site.publish(2, ["block": Array(Self.numbers.dropLast(3))])
      try site.damage(manifest.packs[0].deltas[0].path)
      try await site.fetch(into: out)
      #expect(try PackDigest.ofFile("\(out)/current/block.rfpack").hex == manifest.packs[0].sha256)

      let next = try site.publish(3, ["block": Array(Self.numbers.dropLast(9))])
      try site.damage(next.packs[0].deltas[0].path)
      try site.damage(next.packs[0].path)
      await expectRefusal(out, { if case .wrongFile = $0 { true } else { false } }) { try await site.fetch(into: out) }
      let pack = "\(site.path)/\(next.packs[0].path)"
      try (Data(contentsOf: URL(filePath: pack)) + Data(count: 1)).write(to: URL(filePath: pack))
      await expectRefusal(out, { if case .wrongFile = $0 { true } else { false } }) { try await site.fetch(into: out) }
    }
  }

  @Test func `an older, expired or unchained manifest is refused`() async throws {
    try await inFolders { site, out in
      let now = Date()
      try site.publish(1, ["block": [1_000_000]])
      let first = try Data(contentsOf: URL(filePath: site.folder.manifestPath))
      try site.publish(2, ["block": [1_000_001]])
      try await site.fetch(into: out)

      await expectRefusal(out, { if case .expired = $0 { true } else { false } }) {
        try await site.fetch(into: out, at: now.addingTimeInterval(2 * 86_400))
      }
      try first.write(to: URL(filePath: site.folder.manifestPath))
      await expectRefusal(out, { $0 == .downgrade(seen: 2, got: 1) }) { try await site.fetch(into: out) }
      // Another publication under a known serial.
      var other = try site.publish(2, ["block": [1_000_002]])
      await expectRefusal(out, { if case .brokenChain = $0 { true } else { false } }) {
        try await site.fetch(into: out)
      }
      other.serial = 3
      other.previous = .init(serial: 2, sha256: PackDigest.of([1]).hex)
      try site.reveal(other)
      await expectRefusal(out, { if case .brokenChain = $0 { true } else { false } }) {
        try await site.fetch(into: out)
      }
    }
  }

  @Test func `the client follows each key rotation`() async throws {
    try await inFolders { site, out in
      let (old, new, stranger) = (site.key, SigningKey(), SigningKey())
      try site.publish(1, ["block": [1_000_000]])
      try await site.fetch(into: out, key: old)
      _ = try site.folder.rotate(from: old, to: new, at: Date())
      site.key = new
      // The present manifest is signed by both.
      #expect(try await !site.fetch(into: out, key: old).hasChanged)
      try site.publish(2, ["block": [1_000_001]])
      #expect(try await site.fetch(into: out, key: old).hasChanged)
      // A new client with either key gets it, too; no other does.
      for (index, key) in [old, new].enumerated() {
        #expect(try await site.fetch(into: "\(out)\(index)", key: key).hasChanged)
      }
      await expectRefusal("\(out)2", { if case .unknownKey = $0 { true } else { false } }) {
        try await site.fetch(into: "\(out)2", key: stranger)
      }
      // A manifest by the replaced key.
      site.key = old
      let manifest = try #require(try site.folder.manifest())
      var next = manifest.manifest
      next.serial = 3
      next.previous = manifest.link
      try site.reveal(next)
      await expectRefusal(out, { if case .unknownKey = $0 { true } else { false } }) {
        try await site.fetch(into: out, key: new)
      }
    }
  }
}
