// SPDX-License-Identifier: Apache-2.0

import Support
import Crypto
import Curation
public import Foundation
public import Storage

/// The purpose of a passkey's challenge. A challenge is good for this purpose only.
public enum PasskeyPurpose: Sendable, Equatable {
  case add(session: UUID)
  /// Signs in without a password.
  case signIn
  /// Is the second factor of a sign-in, named by the token of its step.
  case step(String)

  fileprivate var text: String {
    switch self {
    case .add(let session): "passkey add \(session.uuidString)"
    case .signIn: "passkey sign-in"
    case .step(let token): "passkey step \(Base64URL.encode(SHA256.hash(data: Data(token.utf8))))"
    }
  }
}

/// The options for `navigator.credentials` (Web Authentication, 5.4 and 5.5), in the form of
/// `parseCreationOptionsFromJSON` and `parseRequestOptionsFromJSON`.
public struct PasskeyOptions: Encodable, Sendable {
  struct Party: Encodable {
    let id: String
    let name = "Ringfence"
  }
  struct User: Encodable { let id: String, name: String, displayName: String }
  struct Algorithm: Encodable {
    let type = "public-key"
    let alg: Int64
  }
  struct Credential: Encodable {
    let type = "public-key"
    let id: String
  }

  let challenge: String
  let timeout = Int(PasskeyService.lifetime * 1_000)
  // Of a new passkey.
  var rp: Party?
  var user: User?
  var pubKeyCredParams: [Algorithm]?
  var excludeCredentials: [Credential]?
  var authenticatorSelection: [String: String]?
  /// The server learns nothing about the authenticator's maker.
  var attestation: String?
  // Of a sign-in.
  var rpId: String?
  var allowCredentials: [Credential]?
  var userVerification: String?
}

/// Adds passkeys and signs in by them (Web Authentication, level 2).
public struct PasskeyService: Sendable {
  let sessions: SessionStore
  let accounts: AccountStore
  let key: AccountKey

  /// Seconds that the browser's dialog may take.
  public static let lifetime: TimeInterval = 300

  /// - Parameter key: encrypts the challenge that the browser keeps.
  public init(sessions: SessionStore, accounts: AccountStore, key: AccountKey) {
    (self.sessions, self.accounts, self.key) = (sessions, accounts, key)
  }

  /// Makes a challenge.
  /// - Returns: the options, and the value of the browser's cookie.
  public func start(
    _ purpose: PasskeyPurpose, account: (id: Int32, name: String)?, site: PasskeySite, at time: Date
  ) async throws -> (options: PasskeyOptions, pending: String) {
    let challenge = (0..<32).map { _ in UInt8.random(in: 0...255) }
    let end = withUnsafeBytes(of: Int64(time.timeIntervalSince1970 + Self.lifetime).bigEndian) { Array($0) }
    var options = PasskeyOptions(challenge: Base64URL.encode(challenge))
    var credentials: [PasskeyOptions.Credential] = []
    if let account {
      credentials = try await accounts.passkeys(of: account.id).map { .init(id: Base64URL.encode($0.id)) }
    }
    if case .add = purpose, let account {
      options.rp = PasskeyOptions.Party(id: site.host)
      options.user = PasskeyOptions.User(
        id: Base64URL.encode(Self.user(account.id)), name: account.name, displayName: account.name)
      options.pubKeyCredParams = PasskeyKey.algorithms.map { PasskeyOptions.Algorithm(alg: $0) }
      options.excludeCredentials = credentials
      options.authenticatorSelection = ["residentKey": "preferred", "userVerification": "preferred"]
      options.attestation = "none"
    } else {
      (options.rpId, options.allowCredentials) = (site.host, credentials)
      options.userVerification = purpose == .signIn ? "required" : "preferred"
    }
    return (options, Base64URL.encode(try key.seal(challenge + end, for: purpose.text)))
  }

  /// Checks a new passkey (Web Authentication, 7.1), and stores it. The page asks for no attestation, so the
  /// authenticator's statement about itself is not checked.
  /// - Parameters:
  ///   - answer: the JSON text of the browser.
  ///   - pending: the value of the browser's cookie.
  /// - Returns: the session's new token, and new recovery codes if it is the account's first second factor.
  /// - Throws: ``PasskeyRefusal``, and errors of the database.
  public func add(
    _ answer: String, name: String, pending: String?, site: PasskeySite, of moderator: Session, at time: Date
  ) async throws -> (token: String, codes: [String]) {
    let answer = try PasskeyAnswer(answer)
    try answer.check(
      "webauthn.create", challenge: try await taken(pending, .add(session: moderator.sessionID), at: time), site: site)
    guard let object = answer.attestation, let members = try? CBOR(object), case .text? = members[.text("fmt")],
      case .bytes(let bytes)? = members[.text("authData")]
    else { throw PasskeyRefusal.malformed }
    let data = try AuthenticatorData(bytes, site: site)
    guard let (id, publicKey) = data.credential, id == answer.id else { throw PasskeyRefusal.malformed }
    _ = try PasskeyKey(publicKey)
    let codes = moderator.hasSecondFactor ? [] : RecoveryCodes.make()
    do {
      let token = try await accounts.addPasskey(
        NewPasskey(id: id, key: publicKey, counter: data.counter, name: name),
        recovery: RecoveryCodes.hashes(codes, key: key), of: moderator, at: time)
      return (token, codes)
    } catch AccountError.passkeyRefused {
      throw PasskeyRefusal.full
    }
  }

  /// Checks a passkey's signature (Web Authentication, 7.2).
  /// - Parameter owner: the account that it must belong to; nil for any.
  /// - Returns: the account, the passkey, and the counter to store.
  func check(
    _ answer: PasskeyAnswer, _ purpose: PasskeyPurpose, pending: String?, site: PasskeySite, owner: Int32?,
    at time: Date
  ) async throws -> (account: Credentials, counter: Int64) {
    try answer.check("webauthn.get", challenge: try await taken(pending, purpose, at: time), site: site)
    guard let (bytes, signature, user) = answer.assertion else { throw PasskeyRefusal.malformed }
    guard let (account, publicKey) = try await accounts.passkey(answer.id), owner ?? account.id == account.id,
      !account.isTied, user.map({ $0 == Self.user(account.id) }) ?? (owner != nil)
    else { throw PasskeyRefusal.unknown }
    let data = try AuthenticatorData(bytes, site: site)
    guard data.isVerified || purpose != .signIn else { throw PasskeyRefusal.verification }
    guard try PasskeyKey(publicKey).isValid(signature, for: Data(bytes) + SHA256.hash(data: answer.client)) else {
      throw PasskeyRefusal.signature
    }
    return (account, data.counter)
  }

  /// The challenge that the browser's cookie has for a purpose. It is used up, whatever follows.
  private func taken(_ pending: String?, _ purpose: PasskeyPurpose, at time: Date) async throws -> [UInt8] {
    guard let sealed = pending.flatMap({ Base64URL.decode($0) }), let opened = key.open(sealed, for: purpose.text),
      opened.count == 40
    else { throw PasskeyRefusal.challenge }
    let challenge = Array(opened[..<32])
    let end = Date(timeIntervalSince1970: Double(opened[32...].reduce(Int64(0)) { $0 << 8 | Int64($1) }))
    guard time < end,
      try await sessions.use(challenge: Array(SHA256.hash(data: challenge)), until: end, at: time)
    else { throw PasskeyRefusal.challenge }
    return challenge
  }

  /// The bytes by which an authenticator knows an account.
  static func user(_ account: Int32) -> [UInt8] {
    Array(SHA256.hash(data: Data("ringfence passkey user \(account)".utf8)))
  }
}

extension SignInService {
  /// Signs in by a passkey alone, which must have checked its user. Refused sign-ins are in the audit log.
  /// - Parameters:
  ///   - answer: the JSON text of the browser.
  ///   - pending: the value of the browser's cookie.
  public func signIn(
    passkey answer: String, pending: String?, site: PasskeySite, _ visitor: Visitor, at time: Date
  ) async throws -> SignInOutcome {
    try await attempt(nil, visitor, at: time) {
      let answer = try PasskeyAnswer(answer)
      let (account, counter) = try await passkeys.check(
        answer, .signIn, pending: pending, site: site, owner: nil, at: time)
      let entrance = try await sessions.enter(
        passkey: answer.id, counter: counter, of: account, replacing: visitor.session, browser: visitor.browser,
        at: time)
      guard let entrance else { throw PasskeyRefusal.counter }
      return .entered(entrance, browser: try await known(visitor, entrance, account, at: time))
    }
  }

  /// Signs in by a passkey as the second factor, after the first one.
  /// - Parameter step: the token from the first factor.
  public func signIn(
    step: String, passkey answer: String, pending: String?, site: PasskeySite, _ visitor: Visitor, at time: Date
  ) async throws -> SignInOutcome {
    guard let account = try await sessions.credentials(step: step, at: time) else { return .expired }
    return try await attempt(account, visitor, at: time) {
      let answer = try PasskeyAnswer(answer)
      let counter = try await passkeys.check(
        answer, .step(step), pending: pending, site: site, owner: account.id, at: time
      ).counter
      let session = try await sessions.enter(
        step: step, of: account, by: .passkey(answer.id, counter: counter), replacing: visitor.session,
        browser: visitor.browser, at: time)
      guard let session else { throw PasskeyRefusal.counter }
      let entrance = FirstFactor.session(session, isNew: false)
      return .entered(entrance, browser: try await known(visitor, entrance, account, at: time))
    }
  }

  private func attempt(
    _ account: Credentials?, _ visitor: Visitor, at time: Date, _ body: () async throws -> SignInOutcome
  ) async throws -> SignInOutcome {
    do {
      return try await body()
    } catch let refusal as PasskeyRefusal {
      try await noteRefusal(of: account, because: "passkey: \(refusal.rawValue)", visitor, at: time)
      return .refused
    }
  }

  private var passkeys: PasskeyService { PasskeyService(sessions: sessions, accounts: accounts, key: key) }
}
