// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import Publishing
import RingfenceClient
import Synchronization
import TestSupport
import Testing

/// Serves a folder like a static site; interrupts where a test requests it.
private final class FolderTransport: ClientTransport {
  private let folder: String
  private let asked = Mutex<[String]>([])
  /// The keys in the requests.
  let keys = Mutex<Set<String?>>([])
  /// The response to every request, where it is set.
  let refusal = Mutex<ClientHead?>(nil)
  /// After so many bytes of one answer the connection breaks, once.
  private let breaksAfter = Mutex<Int?>(nil)

  init(_ folder: String) { self.folder = folder }

  var paths: [String] { asked.withLock { $0 } }
  func breakOnce(after bytes: Int) { breaksAfter.withLock { $0 = bytes } }

  func send(
    _ request: ClientRequest, head: @escaping @Sendable (ClientHead) throws -> Void,
    body: @escaping @Sendable (Data) throws -> Void
  ) async throws {
    keys.withLock { _ = $0.insert(request.fields["Authorization"]) }
    let path = String(request.url.path.dropFirst("/v1/".count))
    asked.withLock { $0.append(path) }
    if let refusal = refusal.withLock(\.self) { return try head(refusal) }
    guard let data = FileManager.default.contents(atPath: "\(folder)/\(path)") else {
      return try head(ClientHead(status: 404))
    }
    let start = request.fields["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
    try head(
      start == 0
        ? ClientHead(status: 200)
        : ClientHead(status: 206, fields: ["Content-Range": "bytes \(start)-\(data.count - 1)/\(data.count)"]))
    let rest = data.dropFirst(start)
    let cut = breaksAfter.withLock { limit -> Int? in
      guard path.hasPrefix("packs/"), let cut = limit, cut < rest.count else { return nil }
      limit = nil
      return cut
    }
    try body(Data(rest.prefix(cut ?? rest.count)))
    if cut != nil { throw ClientError.network("broken") }
  }
}

@Suite struct ClientPackTests {
  private func client(
    _ site: PublicationFixture, _ transport: FolderTransport, _ folder: String, publications: String? = nil
  ) throws -> RingfenceClient {
    try RingfenceClient(
      ClientConfiguration(
        server: URL(string: "https://packs.example/v1")!, key: "k", folder: URL(filePath: "\(folder)/client"),
        anchor: .key(site.key.verifying), publications: publications.flatMap { URL(string: $0) }),
      transport: transport, environment: ClientEnvironment(sleep: { _ in }))
  }

  /// A server may require the key; other servers do not get it.
  @Test func `the client sends its key to its own server only`() async throws {
    try await withTemporaryFolder { folder in
      var site = PublicationFixture("\(folder)/site")
      try FileManager.default.createDirectory(atPath: site.path, withIntermediateDirectories: true)
      try site.publish(1, ["toxic": [33_199_000_248]])
      let own = FolderTransport(site.path)
      _ = try await client(site, own, "\(folder)/own", publications: "https://PACKS.example/v1").updatePacks()
      #expect(own.keys.withLock { $0 } == ["Bearer k"])
      for other in ["https://cdn.example/v1", "https://packs.example:444/v1"] {
        let transport = FolderTransport(site.path)
        _ = try await client(site, transport, "\(folder)/\(other.count)", publications: other).updatePacks()
        #expect(transport.keys.withLock { $0 } == [nil])
      }
    }
  }

  /// A key without the scope is distinguished from a missing publication, and from an object store's 403.
  @Test func `the client reports why its request is refused`() async throws {
    try await withTemporaryFolder { folder in
      var site = PublicationFixture("\(folder)/site")
      try FileManager.default.createDirectory(atPath: site.path, withIntermediateDirectories: true)
      try site.publish(1, ["toxic": [33_199_000_248]])
      let problem = ["Content-Type": "application/problem+json; charset=utf-8"]
      for (head, publications, error) in [
        (ClientHead(status: 401, fields: problem), nil, ClientError.key(.unknown)),
        (ClientHead(status: 403, fields: problem), nil, .key(.scope)),
        (ClientHead(status: 401), "https://cdn.example/v1", .key(.notSent)),
        (ClientHead(status: 403), "https://cdn.example/v1", .status(404)), (ClientHead(status: 404), nil, .status(404)),
      ] {
        let transport = FolderTransport(site.path)
        transport.refusal.withLock { $0 = head }
        let client = try client(site, transport, "\(folder)/\(UUID())", publications: publications)
        await #expect(throws: error) { _ = try await client.updatePacks() }
        transport.refusal.withLock { $0 = nil }
        #expect(try await client.updatePacks().changed == ["toxic"])
      }
    }
  }

  @Test func `the client applies deltas, resumes after a failure and refuses an old manifest`() async throws {
    try await withTemporaryFolder { folder in
      var site = PublicationFixture("\(folder)/site")
      try FileManager.default.createDirectory(atPath: site.path, withIntermediateDirectories: true)
      let transport = FolderTransport(site.path)
      let client = try client(site, transport, folder)
      let numbers = (0..<20_000).map { Int64(33_199_000_000 + $0 * 7) }
      let first = try site.publish(1, ["toxic": numbers])
      let old = try Data(contentsOf: URL(filePath: site.folder.manifestPath))
      transport.breakOnce(after: 3_000)
      #expect(try await client.updatePacks().fetchedBytes == first.packs[0].bytes)
      #expect(transport.paths.count { $0.hasPrefix("packs/") } == 2)

      let second = try site.publish(2, ["toxic": numbers + [33_199_999_999]])
      #expect(try await client.updatePacks().fetchedBytes == second.packs[0].deltas[0].bytes)
      let pack = try #require(client.pack("toxic"))
      #expect(try PackDigest.ofFile(pack.path).hex == second.packs[0].sha256)

      // A damaged delta does not prevent the update.
      let third = try site.publish(3, ["toxic": Array(numbers.dropLast())])
      try site.damage(third.packs[0].deltas[0].path)
      #expect(try await client.updatePacks().fetchedBytes == third.packs[0].bytes)

      // A mirror with an older publication.
      try old.write(to: URL(filePath: site.folder.manifestPath))
      await #expect(throws: ClientError.refused(.downgrade(seen: 3, got: 1))) { _ = try await client.updatePacks() }
      #expect(try PackDigest.ofFile(pack.path).hex == third.packs[0].sha256)
    }
  }

  /// A client of one pack fetches three short documents when it has no update: `TrustTests` measures them.
  @Test func `the client fetches the description of its own pack only`() async throws {
    try await withTemporaryFolder { folder in
      var site = PublicationFixture("\(folder)/site")
      try FileManager.default.createDirectory(atPath: site.path, withIntermediateDirectories: true)
      let packs = Dictionary(uniqueKeysWithValues: (0..<40).map { ("pack-\($0)", [Int64(33_199_000_248 + $0)]) })
      try site.publish(1, packs)
      let transport = FolderTransport(site.path)
      let client = try client(site, transport, folder)
      #expect(try await client.updatePacks(["pack-7"]).changed == ["pack-7"])
      let before = transport.paths.count
      #expect(try await client.updatePacks(["pack-7"]).changed == [])
      let asked = transport.paths.dropFirst(before).map { String($0.prefix { $0 != "/" }) }
      #expect(asked == ["roots", "manifest.json", "bins", "descriptions"])
      await #expect(throws: ClientError.refused(.noSuchPack("none"))) { _ = try await client.updatePacks(["none"]) }

      let parts = "\(site.path)/descriptions"
      for file in try FileManager.default.contentsOfDirectory(atPath: parts) { try site.damage("descriptions/\(file)") }
      await #expect {
        _ = try await client.updatePacks(["pack-7"])
      } throws: { error in
        if case ClientError.refused(.wrongFile) = error { true } else { false }
      }
    }
  }

  @Test func `the client refuses a changed pack`() async throws {
    try await withTemporaryFolder { folder in
      var site = PublicationFixture("\(folder)/site")
      try FileManager.default.createDirectory(atPath: site.path, withIntermediateDirectories: true)
      let client = try client(site, FolderTransport(site.path), folder)
      let manifest = try site.publish(1, ["toxic": [33_199_000_248, 33_199_000_250]])
      try site.damage(manifest.packs[0].path)
      await #expect(throws: ClientError.self) { _ = try await client.updatePacks() }
      #expect(client.pack("toxic") == nil)
    }
  }
}
