// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Accounts
@testable import Storage

/// Passkeys of an authenticator of the test's own, whose answers are changed in each place that is checked.
@Suite(.database) struct PasskeyTests {
  private let key = AccountKey([UInt8](repeating: 3, count: 32))
  private let site = PasskeySite(address: "https://lists.example.org/")
  private var sessions: SessionStore { SessionStore(pool: pool) }
  private var accounts: AccountStore { AccountStore(pool: pool) }
  private var service: PasskeyService { PasskeyService(sessions: sessions, accounts: accounts, key: key) }
  private var signIn: SignInService {
    SignInService(
      sessions: sessions, accounts: accounts, attempts: AttemptStore(pool: pool),
      hasher: PasswordHasher(slots: 2, queueLimit: 10, cost: .init(log2N: 4, r: 1, p: 1)), key: key)
  }
  private let visitor = Visitor(network: [1], known: nil, session: nil, browser: "Test")

  /// An authenticator with one passkey, and the parts of its next answer.
  private struct Authenticator {
    let private256 = P256.Signing.PrivateKey()
    var id = (0..<32).map { _ in UInt8.random(in: 0...255) }
    var counter: UInt32 = 0
    var flags: UInt8 = 0x05
    var host = "lists.example.org"
    var origin = "https://lists.example.org"
    var type: String?
    var isCrossOrigin = false
    var user: [UInt8]?
    var extensions: [UInt8] = []
    var sign: ((Data) throws -> Data)?
    var cose: [UInt8]?

    static func bytes(_ bytes: some Collection<UInt8>) -> [UInt8] {
      bytes.count < 24
        ? [0x40 | UInt8(bytes.count)] + bytes
        : bytes.count < 256
          ? [0x58, UInt8(bytes.count)] + bytes : [0x59, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
    }

    static func text(_ text: String) -> [UInt8] { [0x60 | UInt8(text.utf8.count)] + text.utf8 }

    var publicKey: [UInt8] {
      let point = private256.publicKey.rawRepresentation
      return cose
        ?? [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21] + Self.bytes(point.prefix(32)) + [0x22]
        + Self.bytes(point.suffix(32))
    }

    private func data(_ credential: Bool) -> [UInt8] {
      let bits = flags | (credential ? 0x40 : 0) | (extensions.isEmpty ? 0 : 0x80)
      var data = Array(SHA256.hash(data: Data(host.utf8))) + [bits]
      withUnsafeBytes(of: counter.bigEndian) { data += $0 }
      if credential {
        data += [UInt8](repeating: 0, count: 16) + [UInt8(id.count >> 8), UInt8(id.count & 255)] + id + publicKey
      }
      return data + extensions
    }

    private func client(_ type: String, _ challenge: String) throws -> Data {
      let members: [String: Any] = [
        "type": self.type ?? type, "challenge": challenge, "origin": origin, "crossOrigin": isCrossOrigin,
      ]
      return try JSONSerialization.data(withJSONObject: members)
    }

    private func answer(_ response: [String: String]) throws -> String {
      let members: [String: Any] = [
        "type": "public-key", "id": Base64URL.encode(id), "rawId": Base64URL.encode(id), "response": response,
        "clientExtensionResults": [String: String](),
      ]
      return String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
    }

    /// The answer about a new passkey.
    func create(_ challenge: String) throws -> String {
      let object =
        [0xA3] + Self.text("fmt") + Self.text("none") + Self.text("attStmt") + [0xA0] + Self.text("authData")
        + Self.bytes(data(true))
      return try answer([
        "clientDataJSON": Base64URL.encode(try client("webauthn.create", challenge)),
        "attestationObject": Base64URL.encode(object),
      ])
    }

    /// The answer in a sign-in.
    func get(_ challenge: String) throws -> String {
      let (client, data) = (try client("webauthn.get", challenge), data(false))
      let signed = Data(data) + SHA256.hash(data: client)
      let signature = try sign?(signed) ?? private256.signature(for: signed).derRepresentation
      var response = [
        "clientDataJSON": Base64URL.encode(client), "authenticatorData": Base64URL.encode(data),
        "signature": Base64URL.encode(signature),
      ]
      response["userHandle"] = user.map { Base64URL.encode($0) }
      return try answer(response)
    }
  }

  private func session(_ name: String = "Ada") async throws -> Session {
    let token = try await sessions.makeSignInToken(for: name, at: now)
    let entrance = try await sessions.enter(link: token, at: now)
    guard case .session(let session, _)? = entrance else { throw PasskeyRefusal.unknown }
    return try #require(try await sessions.moderator(session: session, at: now))
  }

  /// Adds the passkey of an authenticator.
  private func add(_ authenticator: Authenticator, to moderator: Session) async throws -> [String] {
    let site = try #require(site)
    let (options, pending) = try await service.start(
      .add(session: moderator.sessionID), account: (moderator.id, moderator.name), site: site, at: now)
    return try await service.add(
      try authenticator.create(options.challenge), name: "Phone", pending: pending, site: site, of: moderator, at: now
    ).codes
  }

  private func refusesToAdd(
    _ refusal: PasskeyRefusal, _ location: SourceLocation = #_sourceLocation,
    _ change: (inout Authenticator) -> Void
  ) async throws {
    let moderator = try await session()
    var authenticator = Authenticator()
    change(&authenticator)
    await #expect(throws: refusal, sourceLocation: location) { try await add(authenticator, to: moderator) }
    #expect(try await accounts.passkeys(of: moderator.id).isEmpty)
  }

  /// Signs in by the passkey alone.
  private func enter(_ authenticator: Authenticator, challenge: String? = nil) async throws -> SignInOutcome {
    let site = try #require(site)
    let (options, pending) = try await service.start(.signIn, account: nil, site: site, at: now)
    return try await signIn.signIn(
      passkey: try authenticator.get(challenge ?? options.challenge), pending: pending, site: site, visitor, at: now)
  }

  private func reasons() async throws -> [String] {
    try await AuditLog(pool: pool).events(AuditFilter(), limit: 100).filter { $0.event.action == "session.refuse" }
      .compactMap(\.event.reason)
  }

  /// An account with a passkey that knows its user.
  private func prepared(_ name: String = "Ada") async throws -> (Authenticator, Session) {
    let moderator = try await session(name)
    var authenticator = Authenticator()
    _ = try await add(authenticator, to: moderator)
    authenticator.user = PasskeyService.user(moderator.id)
    return (authenticator, moderator)
  }

  private func refuses(
    _ refusal: PasskeyRefusal, _ location: SourceLocation = #_sourceLocation,
    _ change: (inout Authenticator) -> Void
  ) async throws {
    var (authenticator, _) = try await prepared()
    change(&authenticator)
    #expect(try await enter(authenticator) == .refused, sourceLocation: location)
    #expect(try await reasons() == ["passkey: \(refusal.rawValue)"], sourceLocation: location)
  }

  @Test func `a passkey is added, signs in, and has a day of use`() async throws {
    let (authenticator, moderator) = try await prepared()
    #expect(try await accounts.passkeys(of: moderator.id).map(\.name) == ["Phone"])
    guard case .entered(.session(let token, false), let browser) = try await enter(authenticator) else {
      Issue.record("the passkey was refused")
      return
    }
    #expect(!browser.isEmpty)
    let entered = try #require(try await sessions.moderator(session: token, at: now))
    #expect(entered.id == moderator.id && entered.hasSecondFactor && !entered.hasAuthenticator)
    #expect(try await accounts.passkeys(of: moderator.id).map(\.usedAt) == [now])
  }

  @Test func `the first passkey brings recovery codes, the last one takes them away`() async throws {
    let moderator = try await session()
    let first = try await add(Authenticator(), to: moderator)
    #expect(first.count == RecoveryCodes.count)
    let again = withPasskey(moderator)
    #expect(try await add(Authenticator(), to: again).isEmpty)
    for passkey in try await accounts.passkeys(of: moderator.id) {
      #expect(try await accounts.account(moderator.id, at: now)?.recoveryCodes == Int64(RecoveryCodes.count))
      _ = try await accounts.removePasskey(passkey, of: again, at: now)
    }
    #expect(try await accounts.account(moderator.id, at: now)?.recoveryCodes == 0)
  }

  /// The state of a session after a passkey was added.
  private func withPasskey(_ moderator: Session) -> Session {
    Session(
      id: moderator.id, name: moderator.name, role: moderator.role, language: nil, shortcuts: moderator.shortcuts,
      sessionID: moderator.sessionID, hasPassword: moderator.hasPassword, hasAuthenticator: false, hasPasskeys: true,
      isTied: false, signIns: 1)
  }

  @Test func `a passkey is the second factor after the password`() async throws {
    let moderator = try await session()
    let token = try await accounts.setPassword(
      try await signIn.hasher.hash("a long password"), of: moderator, at: now)
    let owner = try #require(try await sessions.moderator(session: token, at: now))
    var authenticator = Authenticator()
    _ = try await add(authenticator, to: owner)
    let site = try #require(site)
    let outcome = try await signIn.signIn(name: "Ada", password: "a long password", visitor, at: now)
    guard case .entered(.secondFactor(let step), _) = outcome else {
      Issue.record("no second factor was asked for")
      return
    }
    // As a second factor it need not check its user, nor say who that is.
    authenticator.flags = 0x01
    func enter(_ step: String, _ purpose: PasskeyPurpose) async throws -> SignInOutcome {
      let (options, pending) = try await service.start(purpose, account: (owner.id, owner.name), site: site, at: now)
      return try await signIn.signIn(
        step: step, passkey: try authenticator.get(options.challenge), pending: pending, site: site, visitor, at: now)
    }
    // A challenge of another step or purpose is none.
    #expect(try await enter(step, .step("another")) == .refused)
    #expect(try await enter(step, .signIn) == .refused)
    guard case .entered(.session, _) = try await enter(step, .step(step)) else {
      Issue.record("the passkey was refused")
      return
    }
    #expect(try await enter(step, .step(step)) == .expired)
    #expect(try await reasons() == Array(repeating: "passkey: wrong challenge", count: 2))
  }

  @Test func `a passkey of another account is no second factor`() async throws {
    let (other, _) = try await prepared()
    let moderator = try await session("Grace")
    _ = try await add(Authenticator(), to: moderator)
    let link = try await sessions.makeSignInToken(for: "Grace", at: now)
    guard case .secondFactor(let step)? = try await sessions.enter(link: link, at: now) else { return }
    let site = try #require(site)
    let (options, pending) = try await service.start(
      .step(step), account: (moderator.id, moderator.name), site: site, at: now)
    let outcome = try await signIn.signIn(
      step: step, passkey: try other.get(options.challenge), pending: pending, site: site, visitor, at: now)
    #expect(outcome == .refused)
    #expect(try await reasons() == ["passkey: unknown passkey"])
  }

  @Test func `a challenge works once, for five minutes, in its session`() async throws {
    let moderator = try await session()
    let site = try #require(site)
    let (options, pending) = try await service.start(
      .add(session: moderator.sessionID), account: (moderator.id, moderator.name), site: site, at: now)
    func add(_ pending: String?, _ session: Session, after seconds: Double = 0) async throws {
      _ = try await service.add(
        try Authenticator().create(options.challenge), name: "Phone", pending: pending, site: site, of: session,
        at: now + seconds)
    }
    let stranger = try await session("Grace")
    await #expect(throws: PasskeyRefusal.challenge) { try await add(nil, moderator) }
    await #expect(throws: PasskeyRefusal.challenge) { try await add(pending, stranger) }
    await #expect(throws: PasskeyRefusal.challenge) { try await add(pending + "A", moderator) }
    await #expect(throws: PasskeyRefusal.challenge) { try await add(pending, moderator, after: 300) }
    try await add(pending, moderator)
    await #expect(throws: PasskeyRefusal.challenge) { try await add(pending, moderator) }
    // Another challenge than the one that was signed.
    let (authenticator, _) = try await prepared("Joan")
    #expect(try await enter(authenticator, challenge: options.challenge) == .refused)
    #expect(try await reasons() == ["passkey: wrong challenge"])
  }

  @Test func `a page of another origin is refused`() async throws {
    for origin in [
      "https://lists.example.org.attacker.example", "http://lists.example.org", "https://lists.example.org:8443",
    ] {
      try await refusesToAdd(.origin) { $0.origin = origin }
    }
    try await refusesToAdd(.origin) { $0.isCrossOrigin = true }
    try await refuses(.origin) { $0.origin = "https://attacker.example" }
  }

  @Test func `a passkey of another site is refused`() async throws {
    try await refusesToAdd(.site) { $0.host = "example.org" }
    try await refuses(.site) { $0.host = "attacker.example" }
  }

  @Test func `an answer to another question is refused`() async throws {
    try await refusesToAdd(.malformed) { $0.type = "webauthn.get" }
    try await refuses(.malformed) { $0.type = "webauthn.create" }
  }

  @Test func `somebody must be present, and the passkey alone must check its user`() async throws {
    try await refusesToAdd(.presence) { $0.flags = 0x04 }
    try await refuses(.verification) { $0.flags = 0x01 }
  }

  @Test func `a wrong signature is refused`() async throws {
    try await refuses(.signature) { $0.sign = { try P256.Signing.PrivateKey().signature(for: $0).derRepresentation } }
  }

  @Test func `an empty signature is refused`() async throws {
    try await refuses(.signature) { $0.sign = { _ in Data() } }
  }

  @Test func `an unknown passkey, and one that names another user, are refused`() async throws {
    try await refuses(.unknown) { $0.id[0] ^= 1 }
  }

  @Test func `a passkey that names another user is refused`() async throws {
    try await refuses(.unknown) { $0.user = PasskeyService.user(0) }
  }

  @Test func `the counter must grow unless the authenticator does not count`() async throws {
    var (authenticator, _) = try await prepared()
    func isEntered() async throws -> Bool {
      if case .entered = try await enter(authenticator) { true } else { false }
    }
    #expect(try await isEntered())
    #expect(try await isEntered())
    for (counter, isAccepted) in [(5, true), (5, false), (4, false), (0, false), (6, true)] as [(UInt32, Bool)] {
      authenticator.counter = counter
      #expect(try await isEntered() == isAccepted, "\(counter)")
    }
    #expect(try await reasons() == Array(repeating: "passkey: counter did not grow", count: 3))
  }

  @Test func `keys of Ed25519 and RS256 sign in too`() async throws {
    let (edwards, rsa) = (Curve25519.Signing.PrivateKey(), try _RSA.Signing.PrivateKey(keySize: .bits2048))
    let numbers = try rsa.publicKey.getKeyPrimitives()
    let keys: [([UInt8], (Data) throws -> Data)] = [
      (
        [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21] + Authenticator.bytes(edwards.publicKey.rawRepresentation),
        { try edwards.signature(for: $0) }
      ),
      (
        [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20] + Authenticator.bytes(numbers.modulus) + [0x21]
          + Authenticator.bytes(numbers.publicExponent),
        { try rsa.signature(for: $0, padding: .insecurePKCS1v1_5).rawRepresentation }
      ),
    ]
    for (number, (cose, sign)) in keys.enumerated() {
      let moderator = try await session("Ada \(number)")
      var authenticator = Authenticator()
      (authenticator.cose, authenticator.sign) = (cose, sign)
      _ = try await add(authenticator, to: moderator)
      authenticator.user = PasskeyService.user(moderator.id)
      guard case .entered = try await enter(authenticator) else {
        Issue.record("key \(number) was refused")
        return
      }
    }
  }

  @Test(
    arguments: [
      [], [0xA0], [0xF6], [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x02, 0x21, 0x40, 0x22, 0x40],
      [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x41, 0xFF, 0x21, 0x41, 0x03],
      [0xA1, 0x01, 0x62, 0x45, 0x43],
    ] as [[UInt8]])
  func `a key of another kind is refused`(cose: [UInt8]) throws {
    #expect(throws: PasskeyRefusal.algorithm) { try PasskeyKey(cose) }
  }

  @Test func `extensions are passed over, and other bytes are refused`() async throws {
    let moderator = try await session()
    var authenticator = Authenticator()
    authenticator.extensions = [0xA1] + Authenticator.text("credProtect") + [0x02]
    _ = try await add(authenticator, to: moderator)
    for extra in [[0xF6], [0xA0, 0x00], [0xBF, 0xFF]] as [[UInt8]] {
      var other = Authenticator()
      other.extensions = extra
      await #expect(throws: PasskeyRefusal.malformed) { try await add(other, to: moderator) }
    }
    // Backed up, but not to be backed up.
    try await refusesToAdd(.malformed, into: "Grace") { $0.flags = 0x15 }
  }

  private func refusesToAdd(
    _ refusal: PasskeyRefusal, into name: String, _ change: (inout Authenticator) -> Void
  ) async throws {
    let moderator = try await session(name)
    var authenticator = Authenticator()
    change(&authenticator)
    await #expect(throws: refusal) { try await add(authenticator, to: moderator) }
  }

  @Test func `every truncated answer is refused`() throws {
    let site = try #require(site)
    let bytes =
      Array(SHA256.hash(data: Data("lists.example.org".utf8))) + [0x45, 0, 0, 0, 1]
      + [UInt8](repeating: 0, count: 16) + [0, 16] + [UInt8](repeating: 7, count: 16) + [0xA1, 0x01, 0x02]
    _ = try AuthenticatorData(bytes, site: site)
    for end in bytes.indices {
      #expect(throws: PasskeyRefusal.malformed) { try AuthenticatorData(Array(bytes[..<end]), site: site) }
    }
    for text in [
      "", "{}", "[]", #"{"type":"public-key","id":"AA","response":{}}"#, String(repeating: "[", count: 40_000),
    ] {
      #expect(throws: PasskeyRefusal.malformed) { try PasskeyAnswer(text) }
    }
  }

  @Test func `an account has ten passkeys at most, and each once`() async throws {
    let moderator = try await session()
    let known = Authenticator()
    _ = try await add(known, to: moderator)
    let again = withPasskey(moderator)
    await #expect(throws: PasskeyRefusal.full) { try await add(known, to: again) }
    for _ in 1..<AccountStore.maxPasskeys { _ = try await add(Authenticator(), to: again) }
    await #expect(throws: PasskeyRefusal.full) { try await add(Authenticator(), to: again) }
  }

  @Test func `an account that is reset or disabled has no passkey that signs in`() async throws {
    let (authenticator, _) = try await prepared()
    try await accounts.setDisabled(true, name: "Ada", by: .commandLine("test"), at: now)
    #expect(try await enter(authenticator) == .refused)
    try await accounts.setDisabled(false, name: "Ada", by: .commandLine("test"), at: now)
    try await accounts.reset("Ada", by: .commandLine("test"), at: now)
    #expect(try await enter(authenticator) == .refused)
  }

  @Test func `refused passkeys of strangers fill the audit log up to a limit for each network`() async throws {
    let site = try #require(site)
    for _ in 0..<60 {
      #expect(try await signIn.signIn(passkey: "", pending: nil, site: site, visitor, at: now) == .refused)
    }
    #expect(try await reasons().count == 51)
    let other = Visitor(network: [2], known: nil, session: nil, browser: "Test")
    _ = try await signIn.signIn(passkey: "", pending: nil, site: site, other, at: now)
    #expect(try await reasons().count == 52)
  }

  @Test func `a site is its origin, and no numeric address`() {
    #expect(PasskeySite(address: "https://Lists.Example.org/x")?.origin == "https://lists.example.org")
    #expect(PasskeySite(address: "http://localhost:8080")?.origin == "http://localhost:8080")
    #expect(PasskeySite(address: "https://lists.example.org:443")?.origin == "https://lists.example.org")
    for address in ["http://127.0.0.1:8080", "http://[::1]:8080", "lists", ""] {
      #expect(PasskeySite(address: address) == nil)
    }
  }
}
