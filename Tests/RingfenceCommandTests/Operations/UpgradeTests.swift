// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing

@testable import RingfenceCommand

/// Databases of released versions, with data, brought to the newest schema. Each fixture is a backup without keys of the demo
/// data, a simulated month and some decisions, made by the program of that version.
@Suite(.emptyDatabase) struct UpgradeTests {
  /// The keys that the fixtures were made with.
  private static let keys = [
    "RINGFENCE_PSEUDONYM_KEY": String(repeating: "ab", count: 32),
    "RINGFENCE_ACCOUNT_KEY": String(repeating: "cd", count: 32),
    "RINGFENCE_SIGNING_KEY": Data(repeating: 0x42, count: 32).base64EncodedString(),
  ]

  @Test(arguments: ["0.1.0"]) func `a database of a released version keeps its list`(version: String) async throws {
    try await withTemporaryFolder { folder in
      try await Self.unpack(Checkout.fixture("databases/\(version).tar.xz"), into: folder)
      let dsn = TestDatabase.current.dsn
      let program = try await PostgresProgram.find("pg_restore", version: 15, settings: Settings([:], environment: [:]))
      let name = try #require(dsn.firstMatch(of: /dbname=(\w+)/)?.1)
      try await program.run(
        ["--dbname=\(name)", "--no-owner", "--exit-on-error", "\(folder)/database.dump"], on: PostgresConfiguration(dsn)
      )
      let settings = try Settings(
        ["data": folder], environment: Self.keys.merging(["DATABASE_URL": dsn, "RINGFENCE_HOME": Checkout.root]) { $1 })
      try await CommandContext.open(settings) { context in
        #expect(try await context.stores.recount.recount(repairs: false).differences == 0)
        let before = try #require(try context.publicationFolder.manifest()).manifest
        // A second later the list is the same, so that no pack is new.
        let publisher = try context.publisher(PublicationPolicy(), recipes: nil, logger: .forTests)
        let same = try await publisher.publish(PublicationRequest(time: before.issued + 1))
        #expect(same.serial == before.serial + 1)
        #expect(same.packs.map(\.sha256) == before.packs.map(\.sha256))
        // A month later the list is different, and the delta leads to it.
        let overrules = [Gate.churn, .size, .nonEmpty].map {
          PublicationRequest.Overrule(gate: $0, reason: "A month later", by: "test")
        }
        let later = try await publisher.publish(
          PublicationRequest(time: before.issued + 30 * 86_400, overrules: overrules))
        let pack = try #require(later.packs.first { $0.name == "toxic" })
        let old = try #require(before.packs.first { $0.name == "toxic" })
        #expect(pack.sha256 != old.sha256)
        let delta = try #require(pack.deltas.first { $0.fromSHA256 == old.sha256 })
        let result = "\(folder)/result.rfpack"
        try PackDelta.open(path: context.publicationFolder.filePath(delta.path)).apply(
          base: PackReader.open(path: context.publicationFolder.filePath(old.path)), to: result)
        #expect(try PackDigest.ofFile(result).hex == pack.sha256)
        #expect(try await context.stores.accounts.accounts(at: before.issued).map(\.name).contains("Zoë Ångström"))
      }
    }
  }

  private static func unpack(_ archive: String, into folder: String) async throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["tar", "--extract", "--xz", "--no-same-owner", "--file=\(archive)", "--directory=\(folder)"]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
