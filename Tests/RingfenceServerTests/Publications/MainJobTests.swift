// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import Hummingbird
import Publishing
import Storage
import TestSupport
import Testing
import Support

/// End-to-end test: complaints are sent over HTTP, a pack is downloaded over HTTP, read, and compared with an
/// expectation computed without the database.
@Suite(.database) struct MainJobTests {
  private struct Complaint: Sendable {
    let number: Int64
    let category: ReportCategory
    let reporter: Int
    let id = UUID()
    let time: Date

    var json: String {
      """
      {"number":"+\(number)","category":"\(category.slug)","reporter":"r\(reporter)","report_id":"\(id)",\
      "reported_at":"\(Timestamp.format(time))"}
      """
    }
  }

  /// Whole seconds, the precision of the API.
  private let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))

  private func complaints(seed: UInt64) -> [Complaint] {
    var generator = SeededGenerator(seed: seed)
    return (0..<600).map { _ in
      Complaint(
        number: 33_199_000_000 + Int64.random(in: 0..<60, using: &generator),
        category: [.fraud, .robocall, .political, .legitimate].randomElement(using: &generator)!,
        reporter: Int.random(in: 0..<40, using: &generator),
        time: now - Double(Int.random(in: 0..<30, using: &generator)) * 86_400)
    }
  }

  /// Sent in the order of time, so that a reporter's last report is sent last.
  private func expected(_ complaints: [Complaint], _ thresholds: ThresholdSet) -> [PackEntry] {
    var model = ReportModel()
    for complaint in complaints {
      _ = model.take(
        Report(
          number: complaint.number, appID: 1, reportID: complaint.id, reportedAt: complaint.time,
          category: complaint.category, reporter: [UInt8](repeating: UInt8(complaint.reporter), count: 16)))
    }
    return model.numbers.sorted().compactMap { number in
      let evaluation = Score(model.record(of: number), at: now).evaluate(by: thresholds)
      return evaluation.meetsThreshold ? evaluation.category.map { PackEntry(number: number, label: $0.label) } : nil
    }
  }

  @Test func `complaints become a pack that a reader can read`() async throws {
    let complaints = complaints(seed: 3).sorted { $0.time < $1.time }
    let pool = TestDatabase.current.pool
    let expected = expected(complaints, try await ThresholdStore(pool: pool).beLenient())
    #expect(expected.count > 10 && expected.count < 60)
    try await TestServer.run { server in
      for complaint in complaints {
        #expect(try await server.report(complaint.json).status == .created)
      }
      let key = SigningKey()
      _ = try await Publisher(
        store: PublicationStore(pool: pool), folder: server.folder, signing: { key }, logger: .forTests
      ).publish(at: now)

      let answer = try await server.client.execute(uri: "/v1/manifest.json", method: .get)
      let head = try TrustStore(key: key.verifying)
        .verify(manifest: Data(answer.body.readableBytesView), at: now).head
      var parts = ManifestReader(head)
      while let part = parts.missing.first {
        let file = try await server.client.execute(uri: "/v1/\(part.path)", method: .get)
        #expect(file.headers[.cacheControl] == "public, max-age=31536000, immutable")
        try parts.add(Array(file.body.readableBytesView), as: part)
      }
      let manifest = parts.manifest
      let listed = try #require(manifest.packs.first { $0.name == "toxic" })
      let pack = try await server.client.execute(uri: "/v1/\(listed.path)", method: .get)
      #expect(pack.status == .ok)
      #expect(pack.headers[.cacheControl] == "public, max-age=31536000, immutable")
      let bytes = Array(pack.body.readableBytesView)
      #expect(bytes.count == listed.bytes)
      #expect(PackDigest.of(bytes).hex == listed.sha256)

      let reader = try PackReader(bytes: bytes)
      try reader.verify()
      let cursor = try reader.makeCursor()
      var entries: [PackEntry] = []
      while try cursor.next() { entries.append(cursor.entry) }
      #expect(entries == expected)
    }
  }

  @Test func `publications are not found before the first one`() async throws {
    try await TestServer.run { server async throws in
      for uri in ["/v1/manifest.json", "/v1/packs/toxic-1.rfpack", "/v1/packs/..%2Fmanifest.json", "/nothing"] {
        #expect(try await server.client.execute(uri: uri, method: .get).status == .notFound)
      }
    }
  }
}
