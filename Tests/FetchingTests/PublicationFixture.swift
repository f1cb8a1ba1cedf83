// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import CurlHTTP
import Fetching
import Foundation
import OutboundHTTP

@testable import Publishing

/// Publications in a folder, made without a database.
struct PublicationFixture {
  let folder: PublicationFolder
  var key = SigningKey()
  private var former: Manifest?

  init(_ path: String) {
    folder = PublicationFolder(path: path)
  }

  var path: String { folder.path }

  /// Publishes packs of these numbers, with a delta from the publication before.
  @discardableResult
  mutating func publish(
    _ serial: Int64, _ packs: [String: [Int64]], at time: Date = Date(), lifetime: TimeInterval = 86_400
  ) throws -> Manifest {
    for name in ["packs", "deltas", "formats"] {
      try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }
    _ = try folder.root(for: key, at: time)
    let manifest = Manifest(
      serial: serial, issued: time, asOf: time, expires: time.addingTimeInterval(lifetime),
      previous: try folder.manifest()?.link, packs: try packs.map { try pack($0, serial, $1) })
    try reveal(manifest)
    former = manifest
    return manifest
  }

  /// Makes a manifest the newest.
  func reveal(_ manifest: Manifest) throws {
    try folder.reveal(manifest, signedBy: key)
  }

  private func pack(_ name: String, _ serial: Int64, _ numbers: [Int64]) throws -> ManifestPack {
    let file = "packs/\(name)-\(serial).rfpack"
    let writer = try PackWriter(path: "\(path)/\(file)", options: .init(kind: .blocking, serial: UInt64(serial)))
    for number in numbers { try writer.append(number) }
    let summary = try writer.finish()
    let reader = try PackReader.open(path: "\(path)/\(file)")
    var pack = ManifestPack(
      name: name, kind: "blocking", serial: serial, entries: summary.entries, first: summary.first,
      last: summary.last, bytes: summary.bytes, sha256: summary.sha256.hex,
      contentSHA256: try reader.contentDigest().hex, path: file)
    let table = Data(numbers.map { "\($0)\n" }.joined().utf8)
    try table.write(to: URL(filePath: "\(path)/formats/\(name)-\(serial).csv"))
    pack.formats = [
      .init(
        format: "csv", bytes: table.count, sha256: PackDigest.of([UInt8](table)).hex,
        path: "formats/\(name)-\(serial).csv")
    ]
    if let base = former?.packs.first(where: { $0.name == name && $0.serial < serial }) {
      let delta = "deltas/\(name)-\(base.serial)-\(serial).rfdelta"
      let built = try DeltaBuilder.build(
        from: PackReader.open(path: "\(path)/\(base.path)"), to: reader, out: "\(path)/\(delta)")
      pack.deltas = [
        .init(
          fromSerial: base.serial, fromSHA256: base.sha256, bytes: built.bytes, sha256: built.sha256.hex, path: delta)
      ]
    }
    return pack
  }

  /// Changes a byte of a file.
  func damage(_ file: String, at offset: Int? = nil) throws {
    let url = URL(filePath: "\(path)/\(file)")
    var data = try Data(contentsOf: url)
    data[offset ?? data.count / 2] ^= 0x20
    try data.write(to: url)
  }

  /// Fetches all of it into a folder.
  @discardableResult
  func fetch(
    into out: String, key: SigningKey? = nil, choice: FetchChoice = FetchChoice(), at now: Date = Date()
  ) async throws -> FetchSummary {
    try await OutboundHTTP.withClient { client in
      let fetcher = try UpdateFetcher(
        source: UpdateSource("file://\(path)")!, folder: out, anchor: .key((key ?? self.key).verifying),
        choice: choice, client: client)
      return try await fetcher.run(at: now)
    }
  }
}
