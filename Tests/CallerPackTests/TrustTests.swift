// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import Testing

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

/// Keys and documents of a publisher.
struct Maker {
  let key = Curve25519.Signing.PrivateKey()

  var verifying: VerifyingKey { VerifyingKey(Array(key.publicKey.rawRepresentation))! }

  func seal(_ envelope: inout Envelope) throws {
    envelope.signatures.append(
      Envelope.Signature(keyID: verifying.id, signature: try key.signature(for: Data(envelope.signedBytes))))
  }

  func file(_ manifest: Manifest) throws -> Data {
    var envelope = Envelope(
      payloadType: Manifest.payloadType, payload: try manifest.parts().head.encoded(), signatures: [])
    try seal(&envelope)
    return Data(envelope.encoded())
  }

  static func file(_ root: Root, by makers: [Maker]) throws -> Data {
    var envelope = Envelope(payloadType: Root.payloadType, payload: try root.encoded(), signatures: [])
    for maker in makers { try maker.seal(&envelope) }
    return Data(envelope.encoded())
  }
}

@Suite struct TrustTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)
  private let maker = Maker()
  private let hash = String(repeating: "a1", count: 32)

  private func manifest(_ serial: Int64 = 5, previous: Manifest.Link? = nil) -> Manifest {
    let pack = ManifestPack(
      name: "toxic", kind: "identification", serial: serial, entries: 2, first: 12_015_550_100, last: 12_015_550_123,
      bytes: 300, sha256: hash, contentSHA256: hash, path: "packs/toxic-\(serial).rfpack",
      deltas: serial > 1
        ? [.init(fromSerial: 1, fromSHA256: hash, bytes: 40, sha256: hash, path: "deltas/toxic-1-\(serial).rfdelta")]
        : [])
    return Manifest(
      serial: serial, issued: now, asOf: now, expires: now + 86_400, previous: previous, packs: [pack])
  }

  private func root(_ serial: Int, _ keys: [Maker], days: Double = 100) -> Root {
    Root(serial: serial, issued: now, expires: now + days * 86_400, keys: keys.map(\.verifying))
  }

  private func link(_ file: Data, _ serial: Int64) throws -> Manifest.Link {
    let envelope = try Envelope(decoding: [UInt8](file), payloadType: Manifest.payloadType)
    return Manifest.Link(serial: serial, sha256: envelope.payloadDigest.hex)
  }

  @Test func `every changed byte of a manifest is refused`() throws {
    let store = TrustStore(key: maker.verifying)
    let file = try maker.file(manifest())
    #expect(try store.verify(manifest: file, at: now).head == manifest().parts().head)
    for at in file.indices {
      for bit in [0x01, 0x20] as [UInt8] {
        var changed = file
        changed[at] ^= bit
        #expect(throws: UpdateError.self, "byte \(at)") { try store.verify(manifest: changed, at: now) }
      }
    }
    for changed in [file.dropLast(), file + Data("\n".utf8), Data()] {
      #expect(throws: UpdateError.self) { try store.verify(manifest: changed, at: now) }
    }
  }

  @Test func `the signature of an unknown key is refused`() throws {
    let stranger = Maker()
    #expect(throws: UpdateError.unknownKey([stranger.verifying.id])) {
      try TrustStore(key: maker.verifying).verify(manifest: try stranger.file(manifest()), at: now)
    }
    // Signed by another key under the id of the trusted key.
    let head = try manifest().parts().head.encoded()
    var envelope = Envelope(payloadType: Manifest.payloadType, payload: head, signatures: [])
    let signature = try stranger.key.signature(for: Data(envelope.signedBytes))
    envelope.signatures = [.init(keyID: maker.verifying.id, signature: signature)]
    #expect(throws: UpdateError.badSignature(keyID: maker.verifying.id)) {
      try TrustStore(key: maker.verifying).verify(manifest: Data(envelope.encoded()), at: now)
    }
  }

  @Test func `the signature of another payload type is refused`() throws {
    let head = try manifest().parts().head.encoded()
    var envelope = Envelope(payloadType: Root.payloadType, payload: head, signatures: [])
    try maker.seal(&envelope)
    envelope.payloadType = Manifest.payloadType
    #expect(throws: UpdateError.badSignature(keyID: maker.verifying.id)) {
      try TrustStore(key: maker.verifying).verify(manifest: Data(envelope.encoded()), at: now)
    }
  }

  @Test func `an expired, older or unchained manifest is refused`() throws {
    let store = TrustStore(key: maker.verifying)
    let five = try maker.file(manifest(5))
    let seen = UpdateState(seen: try link(five, 5))
    #expect(throws: UpdateError.expired(now + 86_400)) { try store.verify(manifest: five, at: now + 86_400) }
    #expect(try store.verify(manifest: five, at: now, state: seen).isSame(as: seen))
    #expect(throws: UpdateError.downgrade(seen: 5, got: 4)) {
      try store.verify(manifest: try maker.file(manifest(4)), at: now, state: seen)
    }
    // The same serial with another content.
    #expect(throws: UpdateError.brokenChain(seen: 5, got: 5)) {
      try store.verify(
        manifest: try maker.file(manifest(5, previous: .init(serial: 4, sha256: hash))), at: now, state: seen)
    }
    // Another previous publication, or a chain that leaves out the one that was seen.
    for previous in [nil, Manifest.Link(serial: 5, sha256: hash), Manifest.Link(serial: 4, sha256: hash)] {
      #expect(throws: UpdateError.brokenChain(seen: 5, got: 6)) {
        try store.verify(manifest: try maker.file(manifest(6, previous: previous)), at: now, state: seen)
      }
    }
    // The next publication, one after an unused serial, and a publication after missed ones.
    for next in [
      manifest(6, previous: seen.seen), manifest(7, previous: seen.seen),
      manifest(9, previous: .init(serial: 8, sha256: hash)),
    ] {
      #expect(throws: Never.self) { try store.verify(manifest: try maker.file(next), at: now, state: seen) }
    }
  }

  @Test func `roots are followed one by one`() throws {
    let second = Maker(), third = Maker()
    let roots = [
      try Maker.file(root(1, [maker]), by: [maker]),
      try Maker.file(root(2, [second], days: 1), by: [maker, second]),
      try Maker.file(root(3, [third]), by: [second, third]),
    ]
    var store = try TrustStore(root: roots[0])
    let signedByThird = try third.file(manifest())
    #expect(throws: UpdateError.unknownKey([third.verifying.id])) { try store.verify(manifest: signedByThird, at: now) }
    #expect(throws: UpdateError.rootOutOfOrder(expected: 2, got: 3)) { try store.follow(roots[2]) }
    try store.follow(roots[1])
    #expect(throws: UpdateError.rootExpired(now + 86_400)) {
      try store.verify(manifest: try second.file(manifest()), at: now + 86_400)
    }
    // An expired root still leads to the next one.
    try store.follow(roots[2])
    #expect(store.nextRootSerial == 4)
    let verified = try store.verify(manifest: signedByThird, at: now)
    #expect(throws: UpdateError.unknownKey([maker.verifying.id])) {
      try store.verify(manifest: try maker.file(manifest()), at: now)
    }
    // The next update starts with the saved state.
    let state = try UpdateState(decoding: store.state(after: verified).encoded())
    #expect(try TrustStore(root: #require(state.root)) == store)
    // A key alone finds the root that it signed.
    var pinned = TrustStore(key: third.verifying)
    #expect(throws: UpdateError.self) { try pinned.follow(roots[0]) }
    #expect(throws: UpdateError.self) { try pinned.follow(roots[1]) }
    try pinned.follow(roots[2])
    #expect(pinned == store)
  }

  @Test func `a new root needs the signature of the old key and of its own`() throws {
    let second = Maker()
    let first = try Maker.file(root(1, [maker]), by: [maker])
    for makers in [[maker], [second]] {
      var store = try TrustStore(root: first)
      #expect(throws: UpdateError.self) { try store.follow(try Maker.file(root(2, [second]), by: makers)) }
      #expect(store.nextRootSerial == 2)
    }
    #expect(throws: UpdateError.self) { try TrustStore(root: try Maker.file(root(1, [maker]), by: [second])) }
  }

  @Test(arguments: [
    #""path":"../toxic""#, #""path":"/etc/passwd""#, #""path":"packs/.hidden""#, #""path":"packs//a""#,
    #""name":"a/b""#, #""name":"block""#, #""entries":-1"#, #""kind":"other""#, #""serial":6"#, #""sha256":"A1""#,
    #""bytes":-5"#, #""type":"bin""#, #""version":2"#,
  ]) func `a pack description that breaks a rule is refused`(_ field: String) throws {
    let whole = try manifest(1).parts()
    let description = try #require(whole.files.first { $0.part.path.hasPrefix("descriptions/") })
    let key = try #require(field.firstMatch(of: #/"[a-z0-9]+":/#)).output
    let text = String(decoding: description.bytes, as: UTF8.self)
    let line = try #require(text.range(of: "\(key)[^,}]*", options: .regularExpression))
    let changed = text.replacingCharacters(in: line, with: field)
    #expect(changed != text)
    // All parts above it name it, so that only the rule can refuse it.
    #expect(throws: UpdateError.self) { try Self.read(Self.bin(["toxic": changed])) }
    #expect(try Self.read(Self.bin(["toxic": text])) == manifest(1))
  }

  /// A head with one bin of these descriptions by name, and its files.
  private static func bin(_ descriptions: [String: String]) throws -> (ManifestHead, [[UInt8]]) {
    let packs = descriptions.mapValues { PackDigest.of(Array($0.utf8)).hex }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let names = String(decoding: try encoder.encode(packs), as: UTF8.self)
    let bin = Array((#"{"packs":\#(names),"type":"bin","version":1}"# + "\n").utf8)
    let now = Date(timeIntervalSince1970: 1_795_000_000)
    let head = ManifestHead(
      serial: 1, issued: now, asOf: now, expires: now + 86_400, previous: nil, bins: [PackDigest.of(bin).hex])
    return (head, [bin] + descriptions.values.map { Array($0.utf8) })
  }

  private static func read(_ manifest: (ManifestHead, [[UInt8]])) throws -> Manifest {
    let files = Dictionary(manifest.1.map { (PackDigest.of($0).hex, $0) }) { first, _ in first }
    var reader = ManifestReader(try ManifestHead(decoding: manifest.0.encoded()))
    while let part = reader.missing.first { try reader.add(#require(files[part.sha256]), as: part) }
    return reader.manifest
  }

  @Test func `a manifest head that breaks a rule is refused`() throws {
    let good = try manifest().parts().head
    #expect(try ManifestHead(decoding: good.encoded()) == good)
    for change: (inout ManifestHead) -> Void in [
      { $0.bins = [] }, { $0.bins += $0.bins + $0.bins }, { $0.bins = ["A1"] }, { $0.serial = 0 },
      { $0.expires = $0.issued }, { $0.asOf = $0.expires }, { $0.previous = .init(serial: 5, sha256: "") },
    ] {
      var head = good
      change(&head)
      let bytes = try head.encoded()
      #expect(throws: UpdateError.self) { try ManifestHead(decoding: bytes) }
    }
  }

  @Test func `every changed byte of a manifest part is refused`() throws {
    let (head, files) = try manifest().parts()
    for (part, bytes) in files {
      for at in bytes.indices {
        var reader = ManifestReader(head)
        if part.path.hasPrefix("descriptions/"), let bin = files.last { try reader.add(bin.bytes, as: bin.part) }
        var changed = bytes
        changed[at] ^= 0x20
        #expect(throws: UpdateError.self, "\(part.path) byte \(at)") { try reader.add(changed, as: part) }
        #expect(reader.missing == [part])
      }
    }
  }

  @Test func `a pack in the bin of another name is refused`() throws {
    let packs = (0..<40).map { pack("pack-\($0)") }
    let parts = try Manifest(
      serial: 5, issued: now, asOf: now, expires: now + 9, previous: nil, packs: packs
    ).parts()
    var head = parts.head
    #expect(head.bins.count == 2)
    head.bins.swapAt(0, 1)
    var reader = ManifestReader(head)
    let bin = try #require(reader.missing.first)
    let file = try #require(parts.files.first { $0.part.sha256 == bin.sha256 })
    #expect(throws: UpdateError.self) { try reader.add(file.bytes, as: bin) }
  }

  private func pack(_ name: String, nights: Int = 0, formats: [String] = []) -> ManifestPack {
    ManifestPack(
      name: name, kind: "identification", region: "US-212", serial: 400, entries: 123_456, first: 12_015_550_100,
      last: 12_095_550_123, bytes: 345_678, sha256: hash, contentSHA256: hash, path: "packs/\(name)-400.rfpack",
      deltas: (0..<nights).map { back in
        .init(
          fromSerial: Int64(399 - back), fromSHA256: hash, bytes: 12_345, sha256: hash,
          path: "deltas/\(name)-\(399 - back)-400.rfdelta")
      },
      formats: formats.map { .init(format: $0, bytes: 1_234_567, sha256: hash, path: "formats/\(name)-400.\($0)") })
  }

  /// A thousand packs with two weeks of deltas and every format: a phone that wants one pack fetches at most 16 KB.
  @Test func `a reader of one pack in a thousand fetches at most 16 KB`() throws {
    let formats = [
      "2gis", "2gis-gz", "asterisk", "csv", "freepbx", "fritzbox", "jsonl", "sqlite", "tsv",
    ]
    let packs = (0..<1_000).map { pack("directory-us-\(200 + $0)", nights: 14, formats: formats) }
    let manifest = Manifest(
      serial: 400, issued: now, asOf: now, expires: now + 86_400, previous: .init(serial: 399, sha256: hash),
      packs: packs)
    let (head, files) = try manifest.parts()
    let contents = Dictionary(uniqueKeysWithValues: files.map { ($0.part, $0.bytes) })
    let envelope = try maker.file(manifest)
    let verified = try TrustStore(key: maker.verifying).verify(manifest: envelope, at: now)
    #expect(verified.head == head)
    var most = 0
    for pack in packs {
      var (reader, bytes) = (ManifestReader(verified.head, wanted: [pack.name]), envelope.count)
      while let part = reader.missing.first {
        let file = try #require(contents[part])
        bytes += file.count
        try reader.add(file, as: part)
      }
      #expect(reader.manifest.packs == [pack] && reader.named.count == 2)
      most = max(most, bytes)
    }
    #expect(most <= 16_000, "\(most) bytes")
    // All parts together give the manifest again.
    var reader = ManifestReader(verified.head)
    while let part = reader.missing.first { try reader.add(#require(contents[part]), as: part) }
    #expect(reader.manifest == manifest)
    // Another name is in none of the bins.
    var stranger = ManifestReader(verified.head, wanted: ["none"])
    let bin = try #require(stranger.missing.first)
    #expect(throws: UpdateError.noSuchPack("none")) { try stranger.add(#require(contents[bin]), as: bin) }
  }
}
