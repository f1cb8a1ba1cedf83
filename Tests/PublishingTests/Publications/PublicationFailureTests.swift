// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import PostgreSQL
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Publishing

@Suite(.database) struct PublicationFailureTests {
  private struct NoKey: Error {}

  private static let key = SigningKey(String(repeating: "07", count: 32))

  /// The causes and serials of the events that receivers were told.
  private func told() async throws -> [String] {
    try await TestDatabase.current.pool.withConnection { connection in
      try await connection.query(
        "SELECT event || ' ' || coalesce(body::jsonb->>'cause', '') FROM outbox ORDER BY created_at, event"
      ).map { try $0.decode(0) as String }
    }
  }

  @Test(
    arguments: [
      (PublishingError.cannotWrite("a", errno: ENOSPC), true, "disk"), (.cannotWrite("a", errno: EDQUOT), true, "disk"),
      (.cannotWrite("a", errno: EROFS), true, "read_only"), (.cannotWrite("a", errno: EACCES), true, "read_only"),
      (.cannotWrite("a", errno: EIO), true, "other"), (.badRoot("a"), true, "key"),
      (.keyNotInRoot(key: "a", root: 1), true, "key"), (.badManifest("a"), true, "other"),
      (.badManifest("a"), false, "key"),
    ] as [(PublishingError, Bool, String)])
  func `a failure has a cause in a word`(error: PublishingError, hasKey: Bool, cause: String) {
    #expect(FailureCause(error, hasKey: hasKey, folder: "/").rawValue == cause)
  }

  @Test func `receivers are told once of attempts that fail before they have a serial`() async throws {
    let pool = TestDatabase.current.pool
    let store = PublicationStore(pool: pool)
    try await OutboxStore(pool: pool).replaceReceivers(["https://ci.example/hook"])
    let hasKey = Mutex(false)
    try await withTemporaryFolder { path in
      func publisher(_ path: String) -> Publisher {
        Publisher(
          store: store, folder: PublicationFolder(path: path), recipes: [],
          signing: {
            guard hasKey.withLock({ $0 }) else { throw NoKey() }
            return try #require(Self.key)
          }, logger: .forTests)
      }
      let unkeyed = publisher(path)
      for _ in 0..<2 {
        await #expect(throws: NoKey.self) { try await unkeyed.publish(at: now) }
      }
      #expect(try await store.runs(limit: 9) == [] && unkeyed.isFailing)
      #expect(try await told() == ["publication_failed key"])
      hasKey.withLock { $0 = true }
      _ = try await unkeyed.publish(at: now)
      #expect(!unkeyed.isFailing)
      // No folder can be made in a file.
      await #expect(throws: (any Error).self) { try await publisher("\(path)/manifest.json/x").publish(at: now) }
      let all = try await told()
      #expect(all == ["publication_failed key", "publication ", "publication_failed other"])
      let figures = try await OperationStore(pool: pool).figures()
      #expect(!figures.hasFailedRun)
    }
  }

  @Test func `a run whose process was killed is told by the next run`() async throws {
    let pool = TestDatabase.current.pool
    let store = PublicationStore(pool: pool)
    try await OutboxStore(pool: pool).replaceReceivers(["https://ci.example/hook"])
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      try folder.makeFolders()
      try PendingClaim.keep(#require(try await store.claim(1, cause: .command, asOf: now)), in: folder)
      let publisher = Publisher(
        store: store, folder: folder, recipes: [], signing: { try #require(Self.key) }, logger: .forTests)
      try await publisher.settleDeadRun()
      #expect(try await told() == ["publication_failed interrupted"])
      #expect(try await OperationStore(pool: pool).figures().hasFailedRun)
      _ = try await publisher.publish(at: now)
      #expect(try await !OperationStore(pool: pool).figures().hasFailedRun)
    }
  }
}
