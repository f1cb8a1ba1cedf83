// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
public import Foundation
public import Storage

/// A sign-in with an identity provider that a browser has started. The browser keeps it encrypted in a cookie, so that
/// strangers who start sign-ins fill no table.
struct PendingSignOn: Codable, Equatable {
  /// 32 random bytes, from which the values below are derived.
  let seed: [UInt8]
  /// The address that receives the provider's answer.
  let redirect: String
  /// The page to open afterwards.
  let next: String
  /// Seconds since 1970.
  let expires: Double

  /// Ties the provider's answer to the browser.
  var state: String { derived("state") }
  /// Ties the provider's token to this sign-in.
  var nonce: String { derived("nonce") }
  /// Ties the provider's code to this sign-in (RFC 7636).
  var verifier: String { derived("verifier") }

  private func derived(_ purpose: String) -> String {
    Base64URL.encode(
      HMAC<SHA256>.authenticationCode(for: Data(purpose.utf8), using: SymmetricKey(data: seed)))
  }
}

/// The parameters of a provider's answer (RFC 6749, 4.1.2; RFC 9207).
public struct SignOnAnswer: Sendable {
  let state: String?
  let code: String?
  let issuer: String?
  let hasError: Bool

  /// - Parameter parameter: a parameter of the request by its name; nil for a missing one.
  public init(_ parameter: (String) -> String?) {
    (state, code, issuer) = (parameter("state"), parameter("code"), parameter("iss"))
    hasError = parameter("error") != nil
  }
}

/// Signs people in with an identity provider: OpenID Connect, authorization code with PKCE.
public struct SignOnService: Sendable {
  public let provider: IdentityProvider
  private let signIn: SignInService
  private var sessions: SessionStore { signIn.sessions }
  private var key: AccountKey { signIn.key }
  /// Encrypted sign-ins open for this provider and client only.
  private let purpose: String

  /// Seconds that a sign-in at the provider may take.
  public static let lifetime: TimeInterval = 600

  /// - Parameter signIn: has the key that encrypts what the browser keeps.
  public init(_ configuration: SignOnConfiguration, signIn: SignInService) {
    (provider, self.signIn) = (IdentityProvider(configuration), signIn)
    purpose = "sign-on \(configuration.client) \(configuration.issuer)"
  }

  public var name: String { provider.configuration.name }

  /// Starts a sign-in.
  /// - Parameters:
  ///   - redirect: the address of this server that receives the answer.
  ///   - next: the page to open afterwards.
  /// - Returns: the provider's address to open, and the value of the browser's cookie.
  /// - Throws: ``SignOnRefusal/unreachable``, ``SignOnRefusal/issuer``.
  public func start(
    redirect: String, next: String, at time: Date
  ) async throws -> (address: String, pending: String) {
    let metadata = try await provider.metadata(at: time)
    let pending = PendingSignOn(
      seed: (0..<32).map { _ in UInt8.random(in: 0...255) }, redirect: redirect, next: next,
      expires: time.timeIntervalSince1970 + Self.lifetime)
    let challenge = Base64URL.encode(SHA256.hash(data: Data(pending.verifier.utf8)))
    let address = FormText.address(
      metadata.authorization,
      [
        ("response_type", "code"), ("client_id", provider.configuration.client), ("redirect_uri", redirect),
        ("scope", provider.configuration.scopes), ("state", pending.state), ("nonce", pending.nonce),
        ("code_challenge", challenge), ("code_challenge_method", "S256"),
      ])
    return (address, Base64URL.encode(try key.seal(JSONEncoder().encode(pending), for: purpose)))
  }

  /// Finishes a sign-in. Refused sign-ins are in the audit log.
  /// - Parameter pending: the value of the browser's cookie; nil for none.
  /// - Returns: the session or the step for the second factor, the page to open, and the value of the cookie for
  ///   ``endSession(kept:back:at:)``.
  /// - Throws: ``SignOnRefusal``, and errors of the database.
  public func finish(
    _ answer: SignOnAnswer, pending: String?, _ visitor: Visitor, at time: Date
  ) async throws -> (FirstFactor, next: String, kept: String) {
    var person: (account: Credentials?, subject: String?) = (nil, nil)
    do {
      let pending = try await taken(pending, answer, at: time)
      let (identity, token) = try await identity(answer, pending, at: time)
      person.subject = identity.subject
      switch try await enter(identity, visitor, at: time) {
      case .entered(let entrance):
        return (entrance, pending.next, Base64URL.encode(try key.seal(Data(token.text.utf8), for: purpose + " token")))
      case .noAccount: throw SignOnRefusal.noAccount
      case .noRole(let account):
        person.account = account
        throw SignOnRefusal.noRole
      case .disabled(let account):
        person.account = account
        throw SignOnRefusal.disabled
      }
    } catch let refusal as SignOnRefusal {
      try await signIn.noteRefusal(
        of: person.account, because: "single sign-on: \(refusal.rawValue)", visitor,
        person.subject.map { ["subject": $0] }, at: time)
      throw refusal
    }
  }

  /// The provider's address that ends its session; nil where it has none or does not answer.
  /// - Parameters:
  ///   - kept: the value of the cookie of the sign-in; without it some providers do nothing.
  ///   - back: the address of this server to return to.
  public func endSession(kept: String?, back: String, at time: Date) async -> String? {
    guard let address = (try? await provider.metadata(at: time))?.endSession else { return nil }
    var fields = [("client_id", provider.configuration.client), ("post_logout_redirect_uri", back)]
    if let token = kept.flatMap({ Base64URL.decode($0) }).flatMap({ key.open($0, for: purpose + " token") }) {
      fields.append(("id_token_hint", String(decoding: token, as: UTF8.self)))
    }
    return FormText.address(address, fields)
  }

  /// The page to open after the sign-in that a browser has started; nil for none.
  public func next(pending: String?) -> String? { opened(pending)?.next }

  private func opened(_ pending: String?) -> PendingSignOn? {
    pending.flatMap { Base64URL.decode($0) }.flatMap { key.open($0, for: purpose) }
      .flatMap { try? JSONDecoder().decode(PendingSignOn.self, from: Data($0)) }
  }

  /// The sign-in that a browser has started and the answer belongs to. It is used up, whatever follows.
  private func taken(_ pending: String?, _ answer: SignOnAnswer, at time: Date) async throws -> PendingSignOn {
    guard let pending = opened(pending),
      time.timeIntervalSince1970 < pending.expires,
      ConstantTime.areEqual((answer.state ?? "").utf8, pending.state.utf8)
    else { throw SignOnRefusal.state }
    let digest = Array(SHA256.hash(data: Data(pending.state.utf8)))
    guard try await sessions.use(challenge: digest, until: Date(timeIntervalSince1970: pending.expires), at: time)
    else { throw SignOnRefusal.state }
    return pending
  }

  /// The person whom the provider's answer is about, and the provider's token.
  private func identity(
    _ answer: SignOnAnswer, _ pending: PendingSignOn, at time: Date
  ) async throws -> (Identity, IDToken) {
    let configuration = provider.configuration
    let metadata = try await provider.metadata(at: time)
    guard answer.issuer.map({ $0 == configuration.issuer }) ?? !metadata.namesItself else {
      throw SignOnRefusal.provider
    }
    guard !answer.hasError, let code = answer.code, (1...4_096).contains(code.utf8.count) else {
      throw SignOnRefusal.denied
    }
    let token = try await provider.redeem(
      code: code, verifier: pending.verifier, redirect: pending.redirect, at: time)
    let claims = try await provider.claims(of: token, nonce: pending.nonce, at: time)
    guard let subject = claims["sub"]?.text else { throw SignOnRefusal.malformed }
    let role: Identity.Grant =
      configuration.roleValues.isEmpty ? .own : configuration.role(in: claims).map { .role($0) } ?? .none
    let name = Self.name(in: claims, subject: subject)
    return (Identity(issuer: configuration.issuer, subject: subject, name: name, role: role), token)
  }

  private func enter(_ identity: Identity, _ visitor: Visitor, at time: Date) async throws -> IdentityEntrance {
    func enter() async throws -> IdentityEntrance {
      try await sessions.enter(
        identity: identity, adds: provider.configuration.addsAccounts, replacing: visitor.session,
        browser: visitor.browser, at: time)
    }
    do {
      return try await enter()
    } catch AccountError.tied {
      // Another request of the same person has added the account in the meantime.
      return try await enter()
    } catch AccountError.taken {
      return .noAccount
    }
  }

  /// The name for a new account: at most 70 characters, in which nothing is invisible or changes the direction of text.
  /// It has no colon, because the names of service accounts begin with `app:`.
  static func name(in claims: [String: JSONValue], subject: String) -> String {
    let names = ["name", "preferred_username", "email"].compactMap { claims[$0]?.text } + [subject, "account"]
    let cleaned = names.lazy.map { name in
      let words = name.precomposedStringWithCanonicalMapping.split { $0.isWhitespace || $0 == ":" }
      let scalars = words.joined(separator: " ").unicodeScalars.filter { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
      }
      return String(String.UnicodeScalarView(scalars.prefix(70))).trimmingCharacters(in: .whitespaces)
    }
    return cleaned.first { !$0.isEmpty && !AccountName.isReserved($0) } ?? "account"
  }
}
