import CallerPack
import CallerPackBuilder
import Foundation
import Testing

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

/// Keys and documents as a publisher would make them.
struct Maker {
  let key = Curve25519.Signing.PrivateKey()

  var verifying: VerifyingKey { VerifyingKey(Array(key.publicKey.rawRepresentation))! }

  func seal(_ envelope: inout Envelope) throws {
    envelope.signatures.append(
      Envelope.Signature(keyID: verifying.id, signature: try key.signature(for: Data(envelope.signedBytes))))
  }

  func file(_ manifest: Manifest) throws -> Data {
    var envelope = Envelope(payloadType: Manifest.payloadType, payload: try manifest.encoded(), signatures: [])
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

  @Test func everyChangedByteIsRefused() throws {
    let store = TrustStore(key: maker.verifying)
    let file = try maker.file(manifest())
    #expect(try store.verify(manifest: file, at: now).manifest == manifest())
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

  @Test func aStrangersSignatureIsNone() throws {
    let stranger = Maker()
    #expect(throws: UpdateError.unknownKey([stranger.verifying.id])) {
      try TrustStore(key: maker.verifying).verify(manifest: try stranger.file(manifest()), at: now)
    }
    // Under the name of the trusted key.
    var envelope = Envelope(payloadType: Manifest.payloadType, payload: try manifest().encoded(), signatures: [])
    let signature = try stranger.key.signature(for: Data(envelope.signedBytes))
    envelope.signatures = [.init(keyID: maker.verifying.id, signature: signature)]
    #expect(throws: UpdateError.badSignature(keyID: maker.verifying.id)) {
      try TrustStore(key: maker.verifying).verify(manifest: Data(envelope.encoded()), at: now)
    }
  }

  @Test func aSignatureOfOneTypeIsNoneOfAnother() throws {
    var envelope = Envelope(payloadType: Root.payloadType, payload: try manifest().encoded(), signatures: [])
    try maker.seal(&envelope)
    envelope.payloadType = Manifest.payloadType
    #expect(throws: UpdateError.badSignature(keyID: maker.verifying.id)) {
      try TrustStore(key: maker.verifying).verify(manifest: Data(envelope.encoded()), at: now)
    }
  }

  @Test func expiryDowngradeAndChain() throws {
    let store = TrustStore(key: maker.verifying)
    let five = try maker.file(manifest(5))
    let seen = UpdateState(seen: try link(five, 5))
    #expect(throws: UpdateError.expired(now + 86_400)) { try store.verify(manifest: five, at: now + 86_400) }
    #expect(try store.verify(manifest: five, at: now, state: seen).isSame(as: seen))
    #expect(throws: UpdateError.downgrade(seen: 5, got: 4)) {
      try store.verify(manifest: try maker.file(manifest(4)), at: now, state: seen)
    }
    // The same serial with other content.
    #expect(throws: UpdateError.brokenChain(seen: 5, got: 5)) {
      try store.verify(
        manifest: try maker.file(manifest(5, previous: .init(serial: 4, sha256: hash))), at: now, state: seen)
    }
    // Names another publication before it, or jumps over the one that was seen.
    for previous in [nil, Manifest.Link(serial: 5, sha256: hash), Manifest.Link(serial: 4, sha256: hash)] {
      #expect(throws: UpdateError.brokenChain(seen: 5, got: 6)) {
        try store.verify(manifest: try maker.file(manifest(6, previous: previous)), at: now, state: seen)
      }
    }
    // The next one, also after a serial that was never used, and one after nights that were missed.
    for next in [
      manifest(6, previous: seen.seen), manifest(7, previous: seen.seen),
      manifest(9, previous: .init(serial: 8, sha256: hash)),
    ] {
      #expect(throws: Never.self) { try store.verify(manifest: try maker.file(next), at: now, state: seen) }
    }
  }

  @Test func rootsAreFollowedOneByOne() throws {
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
    // One that has expired still leads to the next.
    try store.follow(roots[2])
    #expect(store.nextRootSerial == 4)
    let verified = try store.verify(manifest: signedByThird, at: now)
    #expect(throws: UpdateError.unknownKey([maker.verifying.id])) {
      try store.verify(manifest: try maker.file(manifest()), at: now)
    }
    // What is remembered is where the next update begins.
    let state = try UpdateState(decoding: store.state(after: verified).encoded())
    #expect(try TrustStore(root: #require(state.root)) == store)
    // A key alone finds the root that it signed.
    var pinned = TrustStore(key: third.verifying)
    #expect(throws: UpdateError.self) { try pinned.follow(roots[0]) }
    #expect(throws: UpdateError.self) { try pinned.follow(roots[1]) }
    try pinned.follow(roots[2])
    #expect(pinned == store)
  }

  @Test func aRootNeedsTheOldKeyAndItsOwn() throws {
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
    #""path" : "../toxic""#, #""path" : "/etc/passwd""#, #""path" : "packs/.hidden""#, #""path" : "packs//a""#,
    #""name" : "a/b""#, #""entries" : -1"#, #""kind" : "other""#, #""serial" : 6"#, #""sha256" : "A1""#,
    #""bytes" : -5"#,
  ]) func aManifestKeepsItsRules(_ field: String) throws {
    let text = String(decoding: try manifest(1).encoded(), as: UTF8.self)
    let key = try #require(field.firstMatch(of: #/"[a-z0-9]+" : /#)).output
    let pack = try #require(text.range(of: "\"packs\""))
    let line = try #require(text[pack.upperBound...].range(of: "\(key)[^,\n]*", options: .regularExpression))
    let changed = text.replacingCharacters(in: line, with: field)
    #expect(changed != text)
    #expect(throws: UpdateError.self) { try Manifest(decoding: Array(changed.utf8)) }
    #expect(try Manifest(decoding: Array(text.utf8)) == manifest(1))
  }
}
