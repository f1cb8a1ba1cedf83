// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Foundation
import PostgreSQL
import Publishing
import RingfenceClient
import TestSupport
import Testing

extension RingfenceClient {
  /// A task of the previous client may keep the folder for a moment.
  static func opened(_ configuration: ClientConfiguration) async throws -> RingfenceClient {
    let deadline = ContinuousClock.now + .seconds(300)
    while true {
      do {
        return try RingfenceClient(configuration)
      } catch {
        guard error == .busy, ContinuousClock.now < deadline else { throw error }
        await Task.yield()
      }
    }
  }
}

/// Tests RingfenceClient with a server over a real socket.
@Suite(.database) struct ClientTests {
  private func client(
    _ server: TestServer, _ folder: String, anchor: VerifyingKey? = nil
  ) async throws -> RingfenceClient {
    let configuration = try ClientConfiguration(
      server: URL(string: "http://127.0.0.1:\(server.port)/v1")!, key: server.key,
      folder: URL(filePath: folder).appending(path: "client"), anchor: anchor.map { .key($0) })
    return try await .opened(configuration)
  }

  private func count(_ sql: PostgresQuery) async throws -> Int64 {
    try await TestDatabase.current.pool.column(sql, as: Int64.self)[0]
  }

  @Test func `reports count once regardless of retries`() async throws {
    try await TestServer.run(isPlain: true) { server in
      try await withTemporaryFolder { folder in
        let saved = "\(folder)/client/outbox"
        let reports = try (0..<120).map { index in
          try ClientReport(number: "+33199000248", category: "fraud", reporter: "user-\(index % 7)")
        }
        var before = Data()
        do {
          let client = try await client(server, folder)
          for report in reports { try await client.report(report) }
          before = try Data(contentsOf: URL(filePath: saved))
          #expect(await client.flush().delivered == 120)
          try await client.withdraw(reports[0].reportID)
          #expect(await client.flush().waiting == 0)
        }
        // The app was killed before the removal reached the disk: everything is sent again without effect.
        try before.write(to: URL(filePath: saved))
        let again = try await client(server, folder)
        let result = await again.flush()
        #expect(result.delivered == 119 && result.dropped == 1 && result.waiting == 0)
        #expect(try await count("SELECT count(*) FROM reports") == 120)
        #expect(try await count("SELECT reports FROM numbers") == 119)
      }
    }
  }

  @Test func `calls are counted once`() async throws {
    try await TestServer.run(isPlain: true) { server in
      try await withTemporaryFolder { folder in
        let saved = "\(folder)/client/outbox"
        let yesterday = Date() - 86_400
        var before = Data()
        for isFirst in [true, false] {
          if !isFirst { try before.write(to: URL(filePath: saved)) }
          let client = try await client(server, folder)
          if isFirst {
            for _ in 0..<5 { try await client.countCall(from: "+33199000248", wasNamed: true, at: yesterday) }
            // Sealed but not sent.
            let key = server.key
            let unreachable = try ClientConfiguration(
              server: URL(string: "http://127.0.0.1:1/v1")!, key: key, folder: URL(filePath: "\(folder)/other"))
            let other = try RingfenceClient(unreachable)
            for _ in 0..<5 { try await other.countCall(from: "+33199000248", wasNamed: true, at: yesterday) }
            #expect(await other.flush().waiting == 1)
            before = try Data(contentsOf: URL(filePath: "\(folder)/other/outbox"))
          }
          #expect(await client.flush().waiting == 0)
        }
        // Sends the batch that could not be sent, twice.
        try before.write(to: URL(filePath: saved))
        #expect(await (try await client(server, folder)).flush().waiting == 0)
        #expect(try await count("SELECT sum(named)::bigint FROM identification_days") == 10)
      }
    }
  }

  @Test func `a lookup finds a listed number without sending it`() async throws {
    try await TestServer.run(isPlain: true) { server in
      try await withTemporaryFolder { folder in
        try await TestDatabase.current.pool.execute(
          "INSERT INTO listings (number, category_id, serial, listed_at) VALUES (33199000248, 6, 12, now())")
        let client = try await client(server, folder)
        #expect(try await client.listing(of: 33_199_000_248)?.block == true)
        #expect(try await client.listing(of: 33_199_000_249) == nil)
        for (text, region, isListed) in [
          ("01 99 00 02 48", "FR", true), ("0199000248", "DE", false), ("+33199000248", nil, true),
          ("0199000248", nil, false),
          ("", "FR", false), ("Unknown", "FR", false),
        ] as [(String, String?, Bool)] {
          #expect((try await client.listing(of: text, region: region) != nil) == isListed, "\(text)")
        }
      }
    }
  }

  @Test func `packs come from the server`() async throws {
    try await TestServer.run(isPlain: true) { server in
      try await withTemporaryFolder { folder in
        let key = SigningKey()
        let manifest = try publish([33_199_000_248, 33_199_000_250], key, in: server.folder)
        let client = try await client(server, folder, anchor: key.verifying)
        let first = try await client.updatePacks()
        #expect(first.serial == manifest.serial && first.changed == ["toxic"])
        let pack = try #require(client.pack("toxic"))
        #expect(try PackReader.open(path: pack.path).header.entryCount == 2)
        #expect(try await client.updatePacks().changed.isEmpty)
        // Signed with another key.
        _ = try publish([1], SigningKey(), in: server.folder)
        await #expect(throws: ClientError.self) { _ = try await client.updatePacks() }
        #expect(try PackReader.open(path: pack.path).header.entryCount == 2)
      }
    }
  }

  private func publish(_ numbers: [Int64], _ key: SigningKey, in folder: PublicationFolder) throws -> Manifest {
    try FileManager.default.createDirectory(atPath: "\(folder.path)/packs", withIntermediateDirectories: true)
    let file = "packs/toxic-\(numbers.count).rfpack"
    let writer = try PackWriter(path: "\(folder.path)/\(file)", options: .init(kind: .blocking, serial: 7))
    for number in numbers { try writer.append(number) }
    let summary = try writer.finish()
    let manifest = Manifest(
      serial: 7, issued: Date(), asOf: Date(), expires: Date() + 86_400, previous: nil,
      packs: [
        ManifestPack(
          name: "toxic", kind: "blocking", serial: 7, entries: summary.entries, first: summary.first,
          last: summary.last, bytes: summary.bytes, sha256: summary.sha256.hex,
          contentSHA256: try PackReader.open(path: "\(folder.path)/\(file)").contentDigest().hex, path: file)
      ])
    try folder.reveal(manifest, signedBy: key)
    return manifest
  }
}
