// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation

@testable import Publishing

/// Publications of another server in a folder: a pack's description and its evidence file.
struct ProvenancePublication {
  static let pack = "blocklist"

  let folder: PublicationFolder
  var key = SigningKey()
  /// A key that signs instead.
  var signer: SigningKey?

  init(_ path: String) { folder = PublicationFolder(path: path) }

  var url: String { "file://\(folder.path)" }

  /// Creates the first root.
  mutating func id(at time: Date) throws -> String {
    _ = try folder.root(for: key, at: time)
    return try folder.serverID() ?? ""
  }

  /// The lines of an evidence file.
  mutating func lines(_ rows: [ProvenanceRow], at time: Date) throws -> [String] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let header = ProvenanceHeader(server: try id(at: time), entries: rows.count)
    return [String(decoding: try encoder.encode(header), as: UTF8.self)]
      + (try rows.map { String(decoding: try encoder.encode($0), as: UTF8.self) })
  }

  /// Publishes rows.
  mutating func publish(
    _ serial: Int64, _ rows: [ProvenanceRow], at time: Date, lifetime: TimeInterval = 86_400
  ) throws {
    let text = try lines(rows, at: time).map { $0 + "\n" }.joined()
    try publish(serial, file: gzip(text.utf8), at: time, lifetime: lifetime)
  }

  /// Publishes without the pack.
  mutating func publishNoPack(_ serial: Int64, at time: Date) throws {
    _ = try folder.root(for: key, at: time)
    try folder.makeFolders()
    let manifest = Manifest(
      serial: serial, issued: time, asOf: time, expires: time.addingTimeInterval(86_400),
      previous: try folder.manifest()?.link, packs: [])
    try folder.reveal(manifest, signedBy: signer ?? key)
  }

  /// Publishes an evidence file; nil for a pack without one.
  mutating func publish(
    _ serial: Int64, file: [UInt8]?, at time: Date, lifetime: TimeInterval = 86_400, sha256: String? = nil
  ) throws {
    _ = try folder.root(for: key, at: time)
    try folder.makeFolders()
    let path = "formats/\(Self.pack)-\(serial).evidence.jsonl.gz"
    let empty = PackDigest.of([]).hex
    var pack = ManifestPack(
      name: Self.pack, kind: "blocking", serial: serial, entries: 0, first: nil, last: nil, bytes: 0, sha256: empty,
      contentSHA256: empty, path: "packs/\(Self.pack)-\(serial).rfpack")
    if let file {
      try Data(file).write(to: URL(filePath: folder.filePath(path)))
      pack.formats = [
        .init(format: "evidence", bytes: file.count, sha256: sha256 ?? PackDigest.of(file).hex, path: path)
      ]
    }
    let manifest = Manifest(
      serial: serial, issued: time, asOf: time, expires: time.addingTimeInterval(lifetime),
      previous: try folder.manifest()?.link, packs: [pack])
    try folder.reveal(manifest, signedBy: signer ?? key)
  }
}

extension ProvenanceRow {
  /// A row of a number with five reporters.
  static func test(
    _ number: Int64, _ origins: String..., category: String = "fraud", treatment: String = "block", strength: Int? = 5,
    hops: Int? = nil
  ) -> ProvenanceRow {
    ProvenanceRow(
      number: number, category: category, treatment: treatment, strength: strength, lastDay: "2026-11-20",
      origins: origins.sorted(), hops: hops)
  }
}
