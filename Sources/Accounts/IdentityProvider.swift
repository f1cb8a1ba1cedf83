// SPDX-License-Identifier: Apache-2.0

import CallerPack
public import Curation
import CurlHTTP
public import Foundation
import OutboundHTTP

/// Settings of the sign-in with an identity provider.
public struct SignOnConfiguration: Sendable {
  /// The provider, as it names itself: an address.
  public var issuer: String
  /// The id that the provider has given to this server.
  public var client: String
  public var secret: String?
  /// The provider's name on the button.
  public var name: String
  /// The scopes that are requested, with spaces between.
  public var scopes = standard.scopes
  public var roleClaim = standard.roleClaim
  /// The values of the claim that mean a role. Without any, accounts keep the role that they have here.
  public var roleValues: [Role: [String]] = [:]
  /// Whether a person without an account gets one.
  public var addsAccounts = false

  package static let standard = (scopes: "openid profile", roleClaim: "roles")

  public init(issuer: String, client: String, secret: String? = nil, name: String) {
    (self.issuer, self.client, self.secret, self.name) = (issuer, client, secret, name)
  }

  /// Whether an address is https, or http on this machine. Other addresses would show secrets to the network.
  public static func isSafe(_ address: URL) -> Bool {
    address.user == nil && address.fragment == nil && WebOrigin(address)?.isPrivate == true
  }

  /// The highest role that claims mean.
  func role(in claims: [String: JSONValue]) -> Role? {
    var found = claims[roleClaim]
    if found == nil {
      // A name with dots may be a path, as in `realm_access.roles`.
      found = roleClaim.split(separator: ".").reduce(.object(claims)) { value, name in
        if case .object(let members)? = value { members[String(name)] } else { nil }
      }
    }
    let values = Set(found?.texts ?? [])
    return roleValues.filter { !values.isDisjoint(with: $0.value) }.keys.max()
  }
}

/// The metadata of an identity provider (OpenID Connect Discovery, section 3).
public struct ProviderMetadata: Sendable {
  /// Where people sign in.
  let authorization: URL
  /// Where codes are exchanged for tokens.
  let token: URL
  let keys: URL
  let endSession: URL?
  /// Whether answers name the provider (RFC 9207).
  let namesItself: Bool
  /// Whether the token address takes the secret in the field `Authorization`; otherwise in the form.
  let takesBasic: Bool
  /// Whether the provider supports PKCE with SHA-256, as far as it says.
  public let knowsPKCE: Bool

  /// - Throws: ``SignOnRefusal/issuer`` if the provider names itself otherwise; ``SignOnRefusal/unreachable``.
  init(_ data: Data, issuer: String) throws {
    let members = try JSONDecoder().decode([String: JSONValue].self, from: data)
    guard members["issuer"] == .string(issuer) else { throw SignOnRefusal.issuer }
    func address(_ name: String) -> URL? {
      members[name]?.text.flatMap { URL(string: $0) }.flatMap { SignOnConfiguration.isSafe($0) ? $0 : nil }
    }
    guard let authorization = address("authorization_endpoint"), let token = address("token_endpoint"),
      let keys = address("jwks_uri")
    else { throw SignOnRefusal.unreachable }
    (self.authorization, self.token, self.keys) = (authorization, token, keys)
    endSession = address("end_session_endpoint")
    namesItself = members["authorization_response_iss_parameter_supported"] == .bool(true)
    takesBasic = members["token_endpoint_auth_methods_supported"]?.texts?.contains("client_secret_basic") ?? true
    knowsPKCE = members["code_challenge_methods_supported"]?.texts?.contains("S256") ?? true
  }
}

/// Reads an identity provider's metadata and keys, and exchanges codes. Its answers are limited in size and time; they,
/// the secret and tokens are never logged.
public struct IdentityProvider: Sendable {
  let configuration: SignOnConfiguration
  private let metadataCache: AnswerCache<ProviderMetadata>
  private let keyCache: AnswerCache<[ProviderKey]>

  /// The longest answer in bytes, and the longest time for one.
  static let maxBytes = 262_144
  static let timeLimit = Duration.seconds(5)
  /// Seconds after which metadata and keys are read again.
  static let lifetime: TimeInterval = 3_600
  /// Seconds after which an unknown key or a wrong signature lets the keys be read again.
  static let keyInterval: TimeInterval = 60

  public init(_ configuration: SignOnConfiguration) { self.init(configuration, get: Self.get) }

  init(_ configuration: SignOnConfiguration, get: @escaping @Sendable (URL) async throws -> Data) {
    self.configuration = configuration
    let metadata = AnswerCache { [issuer = configuration.issuer] in
      let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
      guard let address = URL(string: base + "/.well-known/openid-configuration") else {
        throw SignOnRefusal.unreachable
      }
      return try ProviderMetadata(try await get(address), issuer: issuer)
    }
    metadataCache = metadata
    keyCache = AnswerCache {
      try ProviderKey.read(try await get(try await metadata.value(olderThan: Self.lifetime, at: Date()).keys))
    }
  }

  /// The provider's metadata, at most an hour old.
  /// - Throws: ``SignOnRefusal/unreachable``, ``SignOnRefusal/issuer``.
  public func metadata(at time: Date) async throws -> ProviderMetadata {
    try await metadataCache.value(olderThan: Self.lifetime, at: time)
  }

  /// The number of the provider's keys that can sign tokens.
  /// - Throws: ``SignOnRefusal/unreachable``.
  public func keyCount(at time: Date) async throws -> Int {
    try await keyCache.value(olderThan: Self.lifetime, at: time).count
  }

  /// The claims of a token. An unknown key lets the keys be read again, at most once a minute, and so does a wrong
  /// signature: a provider may replace a key without a new id.
  /// - Throws: ``SignOnRefusal``.
  func claims(of token: IDToken, nonce: String, at time: Date) async throws -> [String: JSONValue] {
    var refusal = SignOnRefusal.key
    for age in [Self.lifetime, Self.keyInterval] {
      guard let key = token.key(in: try await keyCache.value(olderThan: age, at: time)) else {
        refusal = .key
        continue
      }
      do throws(SignOnRefusal) {
        return try token.claims(
          key: key, issuer: configuration.issuer, client: configuration.client, nonce: nonce, at: time)
      } catch .signature {
        refusal = .signature
      }
    }
    throw refusal
  }

  /// The token that the provider gives for a code.
  /// - Parameters:
  ///   - verifier: the secret of the code's request (RFC 7636).
  ///   - redirect: the address that received the code.
  /// - Throws: ``SignOnRefusal/code``, ``SignOnRefusal/unreachable``, ``SignOnRefusal/malformed``.
  func redeem(code: String, verifier: String, redirect: String, at time: Date) async throws -> IDToken {
    let metadata = try await metadata(at: time)
    var form = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect), ("code_verifier", verifier),
    ]
    var fields = ["Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"]
    if let secret = configuration.secret, metadata.takesBasic {
      let pair = "\(FormText.encode(configuration.client)):\(FormText.encode(secret))"
      fields["Authorization"] = "Basic \(Data(pair.utf8).base64EncodedString())"
    } else {
      form.append(("client_id", configuration.client))
      if let secret = configuration.secret { form.append(("client_secret", secret)) }
    }
    let request = OutboundRequest("POST", metadata.token, fields: fields, body: Data(FormText.encode(form).utf8))
    struct Answer: Decodable { let id_token: String }
    guard let (head, body) = try? await Self.send(request) else { throw SignOnRefusal.unreachable }
    guard head.status < 500 else { throw SignOnRefusal.unreachable }
    guard head.status == 200 else { throw SignOnRefusal.code }
    guard let answer = try? JSONDecoder().decode(Answer.self, from: body) else { throw SignOnRefusal.malformed }
    return try IDToken(answer.id_token)
  }

  @Sendable private static func get(_ address: URL) async throws -> Data {
    let (head, body) = try await send(OutboundRequest("GET", address, fields: ["Accept": "application/json"]))
    guard head.status == 200 else { throw head.failure }
    return body
  }

  private static func send(_ request: OutboundRequest) async throws -> (head: OutboundResponse, body: Data) {
    try await OutboundHTTP.withClient(idle: timeLimit) { client in
      try await client.send(request, limit: maxBytes, total: timeLimit)
    }
  }
}

/// Text of queries and forms (WHATWG URL, 5.2).
enum FormText {
  private static let allowed = CharacterSet(charactersIn: "-._~").union(CharacterSet(charactersIn: "a"..."z"))
    .union(CharacterSet(charactersIn: "A"..."Z")).union(CharacterSet(charactersIn: "0"..."9"))

  static func encode(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: allowed) ?? "" }

  static func encode(_ fields: [(String, String)]) -> String {
    fields.map { "\($0)=\(encode($1))" }.joined(separator: "&")
  }

  /// An address with further fields in its query.
  static func address(_ address: URL, _ fields: [(String, String)]) -> String {
    "\(address.absoluteString)\(address.query == nil ? "?" : "&")\(encode(fields))"
  }
}

/// An answer that is read once for all who wait for it, and kept. After a failure it is not read again for five
/// seconds, so that visitors cannot let the server ask a broken provider without end.
actor AnswerCache<Value: Sendable> {
  private static var retry: TimeInterval { 5 }

  private let read: @Sendable () async throws -> Value
  private var reading: (task: Task<Value, any Error>, since: Date)?

  /// - Parameter read: errors other than ``SignOnRefusal`` become ``SignOnRefusal/unreachable``.
  init(_ read: @escaping @Sendable () async throws -> Value) {
    self.read = {
      do { return try await read() } catch { throw error as? SignOnRefusal ?? .unreachable }
    }
  }

  /// The answer, read again where it is older than an age in seconds.
  func value(olderThan age: TimeInterval, at time: Date) async throws -> Value {
    if let reading, time.timeIntervalSince(reading.since) < age {
      let result = await reading.task.result
      if case .success(let value) = result { return value }
    }
    // Another caller may have begun to read in the meantime.
    if let reading, time.timeIntervalSince(reading.since) < Self.retry { return try await reading.task.value }
    let task = Task { try await read() }
    reading = (task, time)
    return try await task.value
  }
}
