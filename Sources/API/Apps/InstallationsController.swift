// SPDX-License-Identifier: Apache-2.0

import Attestation
import Crypto
import Curation
import Foundation
import HTTPServer
import Hummingbird
import Intake
import Metrics
import Storage
import Synchronization

/// `POST /v1/installations`, `POST /v1/installations/challenges` and `DELETE /v1/installations/{installation_id}`
final class InstallationsController: Sendable {
  private struct Answer: Encodable {
    let installationID: String
    let token: String
    // Of an installation that has attested.
    var expiresAt: Date?
    var renewFrom: Date?
    var level: String?
    var publicKey: String?

    enum CodingKeys: String, CodingKey {
      case token, level
      case installationID = "installation_id"
      case expiresAt = "expires_at"
      case renewFrom = "renew_from"
      case publicKey = "public_key"
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(installationID, forKey: .installationID)
      try container.encode(token, forKey: .token)
      try container.encodeIfPresent(expiresAt?.ISO8601Format(), forKey: .expiresAt)
      try container.encodeIfPresent(renewFrom?.ISO8601Format(), forKey: .renewFrom)
      try container.encodeIfPresent(level, forKey: .level)
      try container.encodeIfPresent(publicKey, forKey: .publicKey)
    }
  }

  /// The maximum tokens of an app in a UTC day, with attestation and without.
  static let maxADay = 100_000
  /// The maximum renewals of an installation in a UTC day.
  static let maxRenewals = 6
  /// Requests of the network's limit that one attestation costs, for its three to five checks of signatures.
  private static let attestationCost = 20
  /// Attestations that are checked at once.
  private static let maxAtOnce = 4

  private let installations: InstallationStore
  private let challenges: InstallationChallenge
  private let pseudonymizer: Pseudonymizer
  private let trust: AttestationTrust
  private let limiter: RateLimiter
  private let bodies: BodyReader
  private let metrics: AttestationMetrics
  private let created = Mutex(DailyCounts(limit: InstallationsController.maxADay, capacity: 4_096))
  private let renewed = Mutex(DailyCounts(limit: InstallationsController.maxRenewals, capacity: 65_536))
  private let running = Mutex(0)
  private let hasPlainTokens: Bool

  /// - Parameter hasPlainTokens: whether there are tokens without attestation, which Apple's reporting extension sends.
  init(
    installations: InstallationStore, pseudonymizer: Pseudonymizer, trust: AttestationTrust, limiter: RateLimiter,
    bodies: BodyReader, metrics: any MetricsFactory, hasPlainTokens: Bool
  ) {
    self.installations = installations
    self.hasPlainTokens = hasPlainTokens
    self.pseudonymizer = pseudonymizer
    challenges = InstallationChallenge(pseudonymizer: pseudonymizer)
    self.trust = trust
    self.limiter = limiter
    self.bodies = bodies
    self.metrics = AttestationMetrics(metrics)
  }

  /// Creates a token for an installed app: without a body for any, with one for a phone that attests.
  @Sendable func create(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let app = context.app else { throw Problem.unauthorized }
    return try await bodies.read(request, .envelope, context: context) { data in
      let needed: AppScopes = data.isEmpty ? .report : .install
      guard app.scopes.isSuperset(of: needed) else { throw Problem.scope(needed) }
      guard !data.isEmpty || hasPlainTokens else { throw Problem.notFound }
      return data.isEmpty ? try await create(for: app) : try await attest(data, app: app, context: context)
    }
  }

  private func create(for app: App) async throws -> Response {
    let now = Date()
    try take(app, isAttested: false, at: now)
    let made = try await withDeadline { [installations] in try await installations.create(for: app, at: now) }
    guard let made else { throw Problem.unauthorized }
    return Self.response(Answer(installationID: Hexadecimal.text(made.digest), token: made.token))
  }

  /// A challenge for an attestation or a renewal.
  @Sendable func challenge(_ request: Request, context: ServerRequestContext) async throws -> Response {
    struct Answer: Encodable {
      let challenge: String
      let expires_at: String
    }
    guard let app = context.app else { throw Problem.unauthorized }
    let made = challenges.make(appID: app.id, at: Date())
    return Self.response(
      Answer(
        challenge: Data(made.bytes).base64EncodedString(), expires_at: made.expiresAt.ISO8601Format()))
  }

  /// Revokes a token. Also 204 if it was revoked before.
  @Sendable func revoke(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let app = context.app else { throw Problem.unauthorized }
    guard !app.scopes.isDisjoint(with: [.report, .install]) else { throw Problem.scope(.install) }
    let text = try context.parameters.require("installation_id")
    guard let digest = Hexadecimal.bytes(text), digest.count == 32 else { throw Problem.notFound }
    let isKnown = try await withDeadline { [installations] in
      try await installations.revoke(digest: digest, of: app, at: Date())
    }
    guard isKnown else { throw Problem.notFound }
    return Response(status: .noContent)
  }

  private func attest(_ data: Data, app: App, context: ServerRequestContext) async throws -> Response {
    let body = try JSON.decode(AttestationBody.self, from: data)
    if let missing = body.missing {
      let field = Problem.Field(pointer: "/\(missing.rawValue)", code: "missing", detail: "Send bytes in base64.")
      throw Problem(.malformed, errors: [field])
    }
    let isRenewal = body.isRenewal
    if !isRenewal { try limiter.charge(Self.attestationCost, context: context) }
    do {
      let token = try await token(for: body, app: app, at: Date())
      metrics.note(body.platform, "ok")
      return Self.response(
        Answer(
          installationID: Hexadecimal.text(token.made.digest), token: token.made.token,
          expiresAt: token.made.expiresAt, renewFrom: token.made.expiresAt - InstallationStore.tokenLifetime / 2,
          level: token.made.level.name, publicKey: Data(token.key).base64EncodedString()))
    } catch {
      let refusal =
        switch error as? AttestationFailure {
        case .challengeUsed: AttestationRefusal.challengeUsed
        case .counterNotGreater: AttestationRefusal.counterNotGreater
        case .unknownInstallation: AttestationRefusal.unknownInstallation
        case nil: error as? AttestationRefusal
        }
      guard let refusal else { throw error }
      metrics.note(body.platform, refusal.rawValue)
      throw Problem.attestation(refused: refusal.rawValue, tryAgain: refusal.retry.rawValue)
    }
  }

  private func token(
    for body: AttestationBody, app: App, at now: Date
  ) async throws -> (made: AttestedToken, key: [UInt8]) {
    let policy = try await withDeadline { [installations] in try await installations.policy(of: app.id) }
    guard let policy else { throw AttestationRefusal.platformNotConfigured }
    let challenge = try body.bytes(body.challenge)
    try challenges.check(challenge, appID: app.id, at: now)
    func installation(_ publicKey: [UInt8]) -> AttestedInstallation {
      let name = "attested key \(Hexadecimal.text(AttestedKey.keyID(of: publicKey)))"
      return AttestedInstallation(
        device: pseudonymizer.pseudonym(of: name, appID: app.id), secret: challenges.secret(of: challenge)
      ) { pseudonymizer.pseudonym(of: $0, appID: app.id) }
    }
    if body.isRenewal {
      let key = try body.bytes(body.publicKey)
      let renewing = installation(key)
      let counter = try body.verifyRenewal(InstallationChallenge.renewal(of: challenge), by: key, policy)
      // After the check, so that only the phone itself uses up its renewals.
      guard renewed.withLock({ $0.take(renewing.device, at: now) }) else {
        throw Problem.limited(.init(limit: "installation", retryAfter: DailyCounts.secondsLeft(at: now)))
      }
      let made = try await withDeadline { [installations] in
        try await installations.renew(renewing, counter: counter, for: app, at: now)
      }
      return (made, key)
    }
    let place = running.withLock { count in
      count += 1
      return count
    }
    defer { running.withLock { $0 -= 1 } }
    guard place <= Self.maxAtOnce else { throw Problem.busy }
    let key = try body.verify(challenge: challenge, policy, trust, at: now)
    try take(app, isAttested: true, at: now)
    let attesting = installation(key.publicKey)
    let made = try await withDeadline { [installations] in
      try await installations.attest(
        attesting, level: key.isHardware ? .hardware : .software, for: app, at: now)
    }
    return (made, key.publicKey)
  }

  /// Counts a new token of an app. Those without attestation cost nothing, so they have a limit of their own.
  private func take(_ app: App, isAttested: Bool, at now: Date) throws {
    guard created.withLock({ $0.take([app.id, isAttested ? 1 : 0], at: now) }) else {
      throw Problem.limited(.init(limit: "app", retryAfter: DailyCounts.secondsLeft(at: now)))
    }
  }

  private static func response(_ answer: some Encodable) -> Response {
    var response = JSON.response(answer, status: .created)
    response.headers[.cacheControl] = "no-store"
    return response
  }
}

/// The JSON of a phone that attests, or renews its token. Bytes are in base64.
struct AttestationBody: Decodable {
  enum Platform: String, Decodable, CaseIterable {
    case ios, android

    init(from decoder: any Decoder) throws { try self.init(name: decoder) }
  }

  let platform: Platform
  let challenge: String
  /// Of iOS: the identifier of the key, and the attestation object.
  private let keyID: String?
  private let attestation: String?
  /// Of Android: the chain, the leaf first.
  private let certificates: [String]?
  /// Of a renewal: the key that was attested, and the assertion of iOS or the signature of Android.
  fileprivate let publicKey: String?
  private let assertion: String?
  private let signature: String?

  enum CodingKeys: String, CodingKey {
    case platform, challenge, attestation, certificates, assertion, signature
    case keyID = "key_id"
    case publicKey = "public_key"
  }

  var isRenewal: Bool { publicKey != nil }

  /// A member that the platform needs and the body does not have. A renewal has the attested key and its proof.
  fileprivate var missing: CodingKeys? {
    let isRenewal = publicKey != nil || assertion != nil || signature != nil
    let needed: [(CodingKeys, isThere: Bool)] =
      switch (platform, isRenewal) {
      case (.ios, false): [(.keyID, keyID != nil), (.attestation, attestation != nil)]
      case (.ios, true): [(.publicKey, publicKey != nil), (.assertion, assertion != nil)]
      case (.android, false): [(.certificates, certificates != nil)]
      case (.android, true): [(.publicKey, publicKey != nil), (.signature, signature != nil)]
      }
    return needed.first { !$0.isThere }?.0
  }

  /// - Throws: ``AttestationRefusal/malformed`` for a missing text, and for one that is not base64.
  fileprivate func bytes(_ text: String?) throws(AttestationRefusal) -> [UInt8] {
    guard let text, let data = Data(base64Encoded: text) else { throw .malformed }
    return Array(data)
  }

  fileprivate func verify(
    challenge: [UInt8], _ policy: AttestationPolicy, _ trust: AttestationTrust, at time: Date
  ) throws(AttestationRefusal) -> AttestedKey {
    switch platform {
    case .ios:
      return try AppAttest.verify(
        try bytes(attestation), keyID: try bytes(keyID), clientDataHash: Array(SHA256.hash(data: challenge)),
        policy: policy, roots: trust.roots, at: time)
    case .android:
      var chain: [[UInt8]] = []
      for certificate in certificates ?? [] { chain.append(try bytes(certificate)) }
      return try KeyAttestation.verify(
        chain, challenge: challenge, policy: policy, roots: trust.roots, revoked: trust.revocations?.list(at: time),
        at: time)
    }
  }

  /// - Returns: the counter of iOS; nil for Android, whose keys do not count.
  fileprivate func verifyRenewal(
    _ message: [UInt8], by key: [UInt8], _ policy: AttestationPolicy
  ) throws(AttestationRefusal) -> Int64? {
    switch platform {
    case .ios:
      return try AppAttest.verify(
        assertion: try bytes(assertion), by: key, clientDataHash: Array(SHA256.hash(data: message)), policy: policy)
    case .android:
      try KeyAttestation.verify(signature: try bytes(signature), by: key, message: message, policy: policy)
      return nil
    }
  }
}

struct AttestationMetrics: Sendable {
  private let counters: [String: Counter]

  init(_ factory: any MetricsFactory) {
    let outcomes = ["ok"] + AttestationRefusal.allCases.map(\.rawValue)
    var counters: [String: Counter] = [:]
    for platform in AttestationBody.Platform.allCases.map(\.rawValue) {
      for outcome in outcomes {
        counters["\(platform) \(outcome)"] = Counter(
          label: "ringfence_attestations_total", dimensions: [("platform", platform), ("outcome", outcome)],
          factory: factory)
      }
    }
    self.counters = counters
  }

  func note(_ platform: AttestationBody.Platform, _ outcome: String) {
    counters["\(platform.rawValue) \(outcome)"]?.increment()
  }
}
