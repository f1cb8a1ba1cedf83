// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import TestData
import Testing

/// The vectors of Tests/Vectors, which Scripts/make-vectors.py writes and readers in other languages run as well.
@Suite struct VectorTests {
  private struct Vectors: Decodable {
    struct Pack: Decodable {
      var file: String
      var dump: String
      var content_sha256: String
    }
    struct Lookups: Decodable {
      var file: String
      var pack: String
    }
    struct RefusedLookup: Decodable {
      var file: String
      var number: Int64
      var rule: String
    }
    struct Delta: Decodable {
      var file: String
      var base: String
      var result: String
    }
    struct RefusedPack: Decodable {
      var file: String
      var rule: String
      var reason: String
    }
    struct RefusedDelta: Decodable {
      var file: String
      var base: String
      var rule: String
      var reason: String
    }
    struct Document: Decodable {
      var file: String
      var `as`: String
      var reason: String
      var rule: String?
      var name: String?
      var pack: String?
      var seen: Seen?
      var issued: Double?
      var expires: Double?
      var index: Int?
      var count: Int?
    }
    struct Seen: Decodable {
      var link: Manifest.Link
      init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        link = Manifest.Link(serial: try values.decode(Int64.self), sha256: try values.decode(String.self))
      }
    }
    struct Key: Decodable {
      var `public`: String
      var id: String
    }
    var now: Double
    var keys: [String: Key]
    var packs: [Pack]
    var lookups: [Lookups]
    var refused_lookups: [RefusedLookup]
    var deltas: [Delta]
    var refused_packs: [RefusedPack]
    var refused_deltas: [RefusedDelta]
    var accepted_documents: [Document]
    var refused_documents: [Document]
  }

  private static let folder = Checkout.vectors + "/"
  private let vectors: Vectors
  private var now: Date { Date(timeIntervalSince1970: vectors.now) }

  init() throws {
    vectors = try JSONDecoder().decode(Vectors.self, from: Data(Self.bytes("vectors.json")))
  }

  private static func bytes(_ file: String) throws -> [UInt8] { try contents(folder + file) }

  @Test func `valid packs`() throws {
    #expect(vectors.packs.count >= 25)
    for vector in vectors.packs {
      let reader = try PackReader(bytes: Self.bytes(vector.file))
      try reader.verify()
      let content = try reader.contentDigest().hex
      #expect(content == vector.content_sha256, "\(vector.file)")
      let list = try entries(reader)
      let lines = list.map { entry in
        "\(entry.number)" + (entry.label.map { "\t" + Self.escaped($0) } ?? "")
          + (entry.roles == [.blocks, .identifies] ? "\tblock" : "") + "\n"
      }
      #expect(try Array(lines.joined().utf8) == Self.bytes(vector.dump), "\(vector.file)")
      // A lookup finds each entry, and none between two.
      for (at, entry) in list.enumerated() where list.count < 1000 {
        #expect(try reader.lookup(entry.number) == entry)
        if at + 1 < list.count, list[at + 1].number > entry.number + 1 {
          #expect(try reader.lookup(entry.number + 1) == nil)
        }
      }
    }
  }

  /// The escapes of `pack dump --format tsv`.
  private static func escaped(_ label: String) -> String {
    label.unicodeScalars.map { scalar in
      switch scalar.value {
      case 0x5C: "\\\\"
      case 0x09: "\\t"
      case 0x0A: "\\n"
      case 0x0D: "\\r"
      case 0..<0x20, 0x7F...0x9F, 0x2028...0x2029:
        "\\u" + String(String(0x1_0000 + scalar.value, radix: 16).dropFirst())
      default: String(scalar)
      }
    }.joined()
  }

  @Test func lookups() throws {
    for vector in vectors.lookups {
      let reader = try PackReader(bytes: Self.bytes(vector.pack))
      let cursor = try reader.makeCursor()
      let lines = try String(decoding: Self.bytes(vector.file), as: UTF8.self).split(separator: "\n")
      #expect(lines.count >= 3)
      for line in lines {
        let number = try #require(Int64(line.prefix { $0 != "\t" }))
        for entry in [try reader.lookup(number), try cursor.lookup(number)] {
          let label = entry?.label.map(Self.escaped) ?? ""
          let answer = "\(number)\t\(entry?.roles.rawValue ?? 0)\t\(label)"
          // Byte for byte: two normal forms of a text are equal strings.
          #expect(answer.utf8.elementsEqual(line.utf8), "\(vector.file), \(number)")
        }
      }
    }
    #expect(vectors.refused_lookups.count >= 20)
    for vector in vectors.refused_lookups {
      let bytes = try Self.bytes(vector.file)
      #expect(throws: PackError.self, "\(vector.file), \(vector.rule)") {
        try PackReader(bytes: bytes).lookup(vector.number)
      }
    }
  }

  @Test func `valid deltas`() throws {
    let folder = try Folder()
    for vector in vectors.deltas {
      let base = try PackReader(bytes: Self.bytes(vector.base))
      let delta = try PackDelta(bytes: Self.bytes(vector.file))
      try delta.apply(base: base, to: folder.file("result"))
      #expect(try contents(folder.file("result")) == Self.bytes(vector.result), "\(vector.file)")
      let changes = try delta.makeChanges(base: base)
      let result = try entries(PackReader.open(path: folder.file("result")))
      #expect(try DeltaTests.played(entries(base), changes) == result, "\(vector.file)")
    }
  }

  @Test func `packs that break a rule`() throws {
    #expect(vectors.refused_packs.count >= 300)
    for vector in vectors.refused_packs {
      let bytes = try Self.bytes(vector.file)
      #expect(throws: PackError.self, "verify: \(vector.file), \(vector.rule)") {
        try PackReader(bytes: bytes).verify()
      }
      // A walk without verify() finds the same.
      #expect(throws: PackError.self, "walk: \(vector.file), \(vector.rule)") {
        let cursor = try PackReader(bytes: bytes).makeCursor()
        while try cursor.next() {}
      }
    }
  }

  @Test func `deltas that break a rule`() throws {
    let folder = try Folder()
    for vector in vectors.refused_deltas {
      let bytes = try Self.bytes(vector.file)
      let base = try PackReader(bytes: Self.bytes(vector.base))
      #expect(throws: PackError.self, "\(vector.file), \(vector.rule)") {
        try PackDelta(bytes: bytes).apply(base: base, to: folder.file("result"))
      }
    }
    #expect(folder.names == [])
  }

  @Test func documents() throws {
    for vector in vectors.accepted_documents {
      #expect(throws: Never.self, "\(vector.file), \(vector.reason)") { try check(vector) }
    }
    #expect(vectors.refused_documents.count >= 200)
    for vector in vectors.refused_documents {
      let error = #expect(throws: UpdateError.self, "\(vector.file), \(vector.rule ?? "")") { try check(vector) }
      #expect(error?.description.isEmpty == false)
    }
  }

  private func check(_ vector: Vectors.Document) throws {
    let bytes = try Self.bytes(vector.file)
    switch vector.as {
    case "manifest":
      let trust = try TrustStore(root: Data(Self.bytes("publication/root.json")))
      let head = try trust.verify(manifest: Data(bytes), at: now, state: UpdateState(seen: vector.seen?.link)).head
      if let issued = vector.issued { #expect(head.issued.timeIntervalSince1970 == issued, "\(vector.file)") }
      if let expires = vector.expires { #expect(head.expires.timeIntervalSince1970 == expires, "\(vector.file)") }
    case "root":
      var trust = try TrustStore(root: Data(Self.bytes("publication/roots/1.root.json")))
      try trust.follow(Data(bytes))
    case "bin":
      let (index, count) = (vector.index ?? 0, vector.count ?? 1)
      var reader = ManifestReader(head(bin: bytes, count: count))
      try reader.add(bytes, as: reader.missing[index])
    default:
      let name = try #require(vector.name)
      let bin = Array(
        "{\"packs\":{\"\(name)\":\"\(PackDigest.of(bytes).hex)\"},\"type\":\"bin\",\"version\":1}\n".utf8)
      var reader = ManifestReader(head(bin: bin))
      try reader.add(bin, as: #require(reader.missing.first))
      try reader.add(bytes, as: #require(reader.missing.first))
      guard let file = vector.pack else { return }
      try PackUpdate(pack: reader.manifest.packs[0], step: .full).check(packAt: Self.folder + file)
    }
  }

  /// A head whose bins are all this one.
  private func head(bin: [UInt8], count: Int = 1) -> ManifestHead {
    let bins = Array(repeating: PackDigest.of(bin).hex, count: count)
    return ManifestHead(serial: 2, issued: now, asOf: now, expires: now + 1, previous: nil, bins: bins)
  }

  @Test func `the publication`() throws {
    let folder = try Folder()
    let key = try #require(vectors.keys["first"])
    let trusted = try #require(VerifyingKey(key.public))
    #expect(trusted.id == key.id)
    var trust = TrustStore(key: trusted)
    for serial in 1...2 { try trust.follow(Data(Self.bytes("publication/roots/\(serial).root.json"))) }
    // The manifest before the rotation is signed by both keys.
    let former = try trust.verify(manifest: Data(Self.bytes("publication/manifests/1.json")), at: now)
    let state = trust.state(after: former)
    let verified = try trust.verify(manifest: Data(Self.bytes("publication/manifest.json")), at: now, state: state)
    var reader = ManifestReader(verified.head)
    while let part = reader.missing.first { try reader.add(Self.bytes("publication/\(part.path)"), as: part) }
    #expect(reader.manifest.packs.map(\.name) == ["block", "both", "none"])
    let base = Self.folder + "publication/packs/both-1.rfpack"
    for update in try UpdatePlanner.plan(reader.manifest, held: ["both": PackDigest.ofFile(base)]) {
      let path = Self.folder + "publication/" + (try #require(update.path))
      if case .delta = update.step {
        try update.apply(deltaAt: path, base: base, to: folder.file("both"))
      } else {
        try update.check(packAt: path)
      }
    }
    #expect(folder.names == ["both"])
  }
}
