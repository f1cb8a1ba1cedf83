// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Curation
import Foundation
import HTTPTypes
import Hummingbird
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing

/// Listed numbers, and requests as PhoneBlock's clients send them.
struct PhoneBlockFixture {
  static let now = Date()
  /// The SHA-1 of +12015550123, and of its digits without the last one and two.
  static let hashes = (
    "88E91F5F9C829EF3DEE9B18365F9BE6A41DF12A2", "E8640ABA8D18F12D47ABAC6000679077AA28B800",
    "DC3B7594ADFFE7EBD9F7052050C868904275FCA7"
  )
  static var pool: PostgresPool { TestDatabase.current.pool }

  /// Lists numbers, as a publication does.
  static func list(_ listings: [Listing], serial: Int64 = 812) async throws {
    try await pool.transaction { connection in
      try await PublicationStore.replaceListings(
        with: listings.sorted { $0.number < $1.number }, serial: serial, at: now, on: connection)
    }
  }

  /// Stores the sums of a number.
  static func weigh(_ number: Int64, evidence: Double, legitimate: Double = 0, heat: Double = 8.1) async throws {
    let scale = Decay.evidence.scale(at: now)
    let stored = (Decay.heat.storedSum(of: heat, at: now), evidence * scale, legitimate * scale)
    try await pool.execute(
      """
      INSERT INTO numbers
        (number, heat, evidence, legitimate, reports, reporters, first_reported_at, last_reported_at)
      VALUES (\(number), \(stored.0), \(stored.1), \(stored.2), 14, 14, \(now), \(now))
      """)
  }

  /// Lists all numbers of a range because of a rule, as a publication does.
  static func list(_ range: RangePattern, serial: Int64 = 812) async throws {
    let rule = RangeRule(stored: range, category: .robocall, state: .approved, proposedAt: now)
    try await pool.transaction { connection in
      try await ListedRangeStore.replace(
        with: range.blocks.map { ListedRange($0, blocks: true, rule: rule) }, serial: serial, at: now, on: connection)
    }
  }

  static func count(_ query: PostgresQuery) async throws -> Int64 {
    try await pool.column(query, as: Int64.self).first ?? 0
  }

  /// Records a publication, as the publisher does with its listings.
  static func record(_ serial: Int64) async throws {
    try await pool.execute(
      """
      INSERT INTO publications (serial, state, as_of, published_at, manifest_sha256)
      VALUES (\(serial), 'published', \(now), \(now), decode(repeat('00', 32), 'hex'))
      """)
  }

  /// Publishes a pack of numbers to block.
  /// - Parameter isRecorded: whether the database has the publication.
  static func publish(
    _ serial: Int64, _ numbers: [Int64], in folder: PublicationFolder, isRecorded: Bool = true
  ) async throws {
    try await publish(serial, [("blocklist", nil, nil, numbers)], in: folder, isRecorded: isRecorded)
  }

  /// The same of several packs.
  static func publish(
    _ serial: Int64, _ packs: [(name: String, region: String?, shard: Int?, numbers: [Int64])],
    in folder: PublicationFolder, isRecorded: Bool = true
  ) async throws {
    try FileManager.default.createDirectory(atPath: "\(folder.path)/packs", withIntermediateDirectories: true)
    let written = try packs.map { pack in
      let file = "packs/\(pack.name)-\(serial).rfpack"
      let writer = try PackWriter(
        path: "\(folder.path)/\(file)",
        options: .init(kind: .blocking, serial: UInt64(serial), createdAt: 1_795_132_800 + serial))
      for number in pack.numbers { try writer.append(number) }
      let summary = try writer.finish()
      return ManifestPack(
        name: pack.name, kind: "blocking", region: pack.region, shard: pack.shard, serial: serial,
        entries: summary.entries, first: summary.first, last: summary.last, bytes: summary.bytes,
        sha256: summary.sha256.hex,
        contentSHA256: try PackReader.open(path: "\(folder.path)/\(file)").contentDigest().hex, path: file)
    }
    try folder.reveal(
      Manifest(
        serial: serial, issued: Date(), asOf: Date(), expires: Date() + 86_400, previous: nil, packs: written),
      signedBy: SigningKey())
    if isRecorded { try await record(serial) }
  }
}

extension TestServer {
  func phoneBlock(
    _ path: String, _ headers: HTTPFields
  ) async throws -> (status: Int, text: String, headers: HTTPFields) {
    try await phoneBlock(path, .get, headers)
  }

  /// Sends a request to PhoneBlock's API.
  /// - Parameters:
  /// - key: nil for the key of the server; empty for none.
  /// - headers: further fields.
  func phoneBlock(
    _ path: String, _ method: HTTPRequest.Method = .get, body: String? = nil, key: String? = nil,
    _ headers: HTTPFields = [:]
  ) async throws -> (status: Int, text: String, headers: HTTPFields) {
    var headers = headers
    if headers[.authorization] == nil, key != "" { headers[.authorization] = "Bearer \(key ?? self.key)" }
    let response = try await client.execute(
      uri: "/phoneblock/api\(path)", method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
    return (response.status.code, String(buffer: response.body), response.headers)
  }

  func phoneBlockBytes(_ path: String, _ headers: HTTPFields = [:]) async throws -> [UInt8] {
    var headers = headers
    headers[.authorization] = "Bearer \(key)"
    let response = try await client.execute(uri: "/phoneblock/api\(path)", method: .get, headers: headers)
    #expect(response.status == .ok && response.headers[.contentType] == "application/octet-stream")
    #expect(response.headers[.contentLength] == "\(response.body.readableBytes)")
    return [UInt8](response.body.readableBytesView)
  }
}
