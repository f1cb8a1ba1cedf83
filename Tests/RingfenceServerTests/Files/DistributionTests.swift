// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import Hummingbird
import Publishing
import TestSupport
import Testing

@testable import HTTPServer
@testable import RingfenceCommand

/// Downloads of publications over a real socket.
@Suite(.database) struct DistributionTests {
  private static let text = "0123456789"
  private static let digest = PackDigest.of(Array(text.utf8)).hex

  /// Writes a file into the publication folder.
  private static func put(_ bytes: some Sequence<UInt8>, _ path: String, in server: TestServer) throws {
    let file = URL(filePath: "\(server.folder.path)/\(path)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file, options: .atomic)
  }

  @Test func `a file has the content type and caching of its kind`() async throws {
    try await TestServer.run { server in
      for path in [
        "packs/toxic-1.rfpack", "deltas/toxic-1-2.rfdelta", "formats/blocklist.2-1.csv", "roots/1.root.json",
      ] {
        try Self.put(Self.text.utf8, path, in: server)
        let answer = try await Exchange.run(port: server.port, [("GET", "/v1/\(path)", [:])])[0]
        #expect(answer.status == 200 && answer.body == Self.text)
        #expect(answer.fields["content-length"] == "10")
        #expect(answer.fields["etag"] == "\"\(Self.digest)\"")
        #expect(answer.fields["accept-ranges"] == "bytes")
        #expect(answer.fields["cache-control"] == "public, max-age=31536000, immutable")
        #expect(answer.fields["last-modified"].flatMap { HTTPDate.parse($0) } != nil)
        #expect(answer.fields["transfer-encoding"] == nil)
      }
      try Self.put(Self.text.utf8, "manifest.json", in: server)
      let manifest = try await Exchange.run(port: server.port, [("GET", "/v1/manifest.json", [:])])[0]
      #expect(manifest.body == Self.text && manifest.fields["content-type"] == "application/json")
      #expect(manifest.fields["cache-control"] == "public, no-cache")
    }
  }

  /// All on one connection: a response with a wrong length would break the next one.
  @Test func `every kind of response has the right length`() async throws {
    let tag = "\"\(Self.digest)\""
    let cases: [(method: String, fields: [String: String], status: Int, range: String?, body: String)] = [
      ("GET", [:], 200, nil, Self.text),
      ("HEAD", [:], 200, nil, ""),
      ("GET", ["Range": "bytes=2-4"], 206, "bytes 2-4/10", "234"),
      ("GET", ["Range": "bytes=-3"], 206, "bytes 7-9/10", "789"),
      ("GET", ["Range": "bytes=8-"], 206, "bytes 8-9/10", "89"),
      ("GET", ["Range": "bytes=8-100"], 206, "bytes 8-9/10", "89"),
      ("GET", ["Range": "bytes=10-"], 416, "bytes */10", "?"),
      ("GET", ["Range": "bytes=-0"], 416, "bytes */10", "?"),
      ("GET", ["Range": "bytes=0-1,4-5"], 200, nil, Self.text),
      ("GET", ["Range": "bytes=4-2"], 200, nil, Self.text),
      ("HEAD", ["Range": "bytes=2-4"], 200, nil, ""),
      ("HEAD", ["Range": "bytes=10-"], 200, nil, ""),
      ("GET", ["If-None-Match": "\"x\", W/\(tag)"], 304, nil, ""),
      ("HEAD", ["If-None-Match": "*"], 304, nil, ""),
      ("GET", ["If-None-Match": "\"x\"", "Range": "bytes=0-0"], 206, "bytes 0-0/10", "0"),
      ("GET", ["If-Match": "\"x\""], 412, nil, "?"),
      ("HEAD", ["If-Match": "\"x\""], 412, nil, ""),
      ("GET", ["If-Range": tag, "Range": "bytes=1-1"], 206, "bytes 1-1/10", "1"),
      ("GET", ["If-Range": "W/\(tag)", "Range": "bytes=1-1"], 200, nil, Self.text),
      ("GET", ["If-Range": "\"x\"", "Range": "bytes=20-"], 200, nil, Self.text),
      ("GET", ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], 200, nil, Self.text),
    ]
    try await TestServer.run { server in
      try Self.put(Self.text.utf8, "packs/toxic-1.rfpack", in: server)
      let answers = try await Exchange.run(
        port: server.port, cases.map { ($0.method, "/v1/packs/toxic-1.rfpack", $0.fields) })
      for (expected, answer) in zip(cases, answers) {
        let what = "\(expected.method) \(expected.fields)"
        #expect(answer.status == expected.status, "\(what)")
        #expect(answer.fields["content-range"] == expected.range, "\(what)")
        if expected.body != "?" { #expect(answer.body == expected.body, "\(what)") }
        if answer.status < 400 { #expect(answer.fields["etag"] == tag, "\(what)") }
        if expected.method == "HEAD", answer.status == 200 { #expect(answer.fields["content-length"] == "10") }
        if answer.status == 304 {
          #expect(answer.fields["content-length"] == nil && answer.fields["cache-control"] != nil)
        }
      }
    }
  }

  @Test func `an empty file is served`() async throws {
    try await TestServer.run { server in
      try Self.put([], "formats/empty-1.csv", in: server)
      let answers = try await Exchange.run(
        port: server.port,
        [
          ("GET", "/v1/formats/empty-1.csv", [:]), ("GET", "/v1/formats/empty-1.csv", ["Range": "bytes=0-"]),
          ("GET", "/v1/formats/empty-1.csv", ["Range": "bytes=-1"]), ("HEAD", "/v1/formats/empty-1.csv", [:]),
        ])
      #expect(answers.map(\.status) == [200, 416, 200, 200])
      #expect(answers[1].fields["content-range"] == "bytes */0")
      #expect(answers[3].fields["content-length"] == "0")
    }
  }

  @Test func `no other path is served`() async throws {
    let paths = [
      "packs/none-1.rfpack", "packs/.hidden", "packs/..%2Fmanifest.json", "packs/%2e%2e%2fmanifest.json",
      "packs/toxic-1.rfpack%00", "packs/a.tmp", "packs/A-1.rfpack", "packs/folder", "packs/pipe",
      "other/toxic-1.rfpack",
      "packs/\(String(repeating: "a", count: 300))", "packs",
    ]
    try await TestServer.run { server in
      for path in ["manifest.json", "packs/.hidden", "packs/a.tmp", "packs/A-1.rfpack", "packs/folder/x"] {
        try Self.put(Self.text.utf8, path, in: server)
      }
      #expect(mkfifo("\(server.folder.path)/packs/pipe", 0o644) == 0)
      let answers = try await Exchange.run(
        port: server.port, paths.map { ("GET", "/v1/\($0)", [:]) } + [("HEAD", "/v1/packs/none-1.rfpack", [:])])
      for (path, answer) in zip(paths, answers) { #expect(answer.status == 404, "\(path)") }
      #expect(answers.last?.status == 404)
    }
  }

  @Test func `a large file is sent in parts of any size`() async throws {
    var generator = SeededGenerator(seed: 11)
    var bytes = (0..<3 * FileSender.slice + 12_345).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let slice = FileSender.slice
    let ranges = [
      0..<bytes.count, 1..<bytes.count, slice - 1..<slice + 1, slice..<2 * slice, 0..<70_000, 0..<65_536,
      bytes.count - 100_000..<bytes.count,
    ]
    try await TestServer.run { [bytes] server in
      try Self.put(bytes, "packs/toxic-1.rfpack", in: server)
      for range in ranges {
        let answer = try await server.client.execute(
          uri: "/v1/packs/toxic-1.rfpack", method: .get,
          headers: [.range: "bytes=\(range.lowerBound)-\(range.upperBound - 1)"])
        #expect(answer.status == .partialContent)
        #expect(Array(answer.body.readableBytesView) == Array(bytes[range]), "\(range)")
      }
      let whole = try await server.client.execute(uri: "/v1/packs/toxic-1.rfpack", method: .get)
      #expect(whole.status == .ok && Array(whole.body.readableBytesView) == bytes)
    }
    bytes = []
  }

  @Test func `a new manifest is served immediately`() async throws {
    try await TestServer.run { server in
      var tag = ""
      for content in ["one", "two", "three"] {
        try Self.put(content.utf8, "manifest.json", in: server)
        let answers = try await Exchange.run(
          port: server.port,
          [("GET", "/v1/manifest.json", ["If-None-Match": tag]), ("GET", "/v1/manifest.json", ["If-None-Match": "x"])])
        #expect(answers.map(\.body) == [content, content])
        tag = answers[0].fields["etag"] ?? ""
      }
      try FileManager.default.removeItem(atPath: server.folder.manifestPath)
      #expect(try await Exchange.run(port: server.port, [("GET", "/v1/manifest.json", [:])])[0].status == 404)
    }
  }

  @Test func `a client that stops reading is disconnected`() async throws {
    try await TestServer.run(configure: {
      $0.connections = ConnectionLimits(stalledAnswer: .milliseconds(300))
    }) { server in
      try Self.put(Data(count: 64 << 20), "packs/toxic-1.rfpack", in: server)
      let (head, isClosed) = try await raw {
        let connection = try RawConnection(port: server.port)
        connection.send("GET /v1/packs/toxic-1.rfpack HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let head = try connection.receive(atMost: 100)
        return (String(decoding: head, as: UTF8.self), connection.waitUntilClosed())
      }
      #expect(head.hasPrefix("HTTP/1.1 200 OK"))
      #expect(isClosed)
    }
  }

  @Test func `a slow but steady reader gets the complete file`() async throws {
    let patience = 3.0
    let length = 24 << 20
    try await TestServer.run(configure: {
      $0.connections = ConnectionLimits(stalledAnswer: .seconds(patience))
    }) { server in
      try Self.put(Data(count: length), "packs/toxic-1.rfpack", in: server)
      let (received, seconds) = try await raw {
        let connection = try RawConnection(port: server.port)
        connection.send("GET /v1/packs/toxic-1.rfpack HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let start = ContinuousClock.now
        var received = 0
        while true {
          let count = try connection.receive(atMost: 128 << 10).count
          if count == 0 { break }
          received += count
          usleep(40_000)
        }
        return (received, (ContinuousClock.now - start) / .seconds(1))
      }
      #expect(received > length)
      // A shorter transfer would not test the limit.
      #expect(seconds > 2 * patience)
    }
  }
}
