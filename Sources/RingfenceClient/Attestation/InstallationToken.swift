// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation

/// The token of an attested installation, and what renews it. The file is in the client's folder, which stays on the phone,
/// as the key does.
struct InstallationToken: Codable, Equatable {
  let token: String
  var expiresAt: Date
  var renewFrom: Date
  /// The identifier of the key in the secure hardware.
  let key: String
  /// The public key, which the server does not store.
  let publicKey: String
}

/// The state of an attestation between attempts.
struct AttestationState: Codable, Equatable {
  var token: InstallationToken?
  /// A key that Apple has not attested yet. It is used again, because Apple limits new keys.
  var newKey: String?
  /// A token without attestation, for counts.
  var plain: String?
  /// No attempt is made before.
  var notBefore = Date.distantPast

  private static let maxBytes = 8_192

  static func read(_ path: String) -> AttestationState {
    ClientFiles.read(path, limit: maxBytes).flatMap { try? JSONDecoder().decode(AttestationState.self, from: $0) }
      ?? AttestationState()
  }

  func write(_ path: String) throws(ClientError) {
    guard let data = try? JSONEncoder().encode(self) else { return }
    try ClientFiles.replace(path, with: data)
  }
}

/// The server's answers.
private struct ChallengeAnswer: Decodable {
  let challenge: Data
}

private struct TokenAnswer: Decodable {
  let token: String
  let expires_at: String
  let renew_from: String
  let public_key: String
}

private struct PlainTokenAnswer: Decodable {
  let token: String
}

extension RingfenceClient {
  private var statePath: String { "\(configuration.folder.path)/installation" }

  /// The header field with the token of the installation; attests or renews before it, if it is time. A failure changes
  /// nothing for reports: they are sent without a token.
  /// - Parameter isPlainEnough: whether a token without attestation is made where the phone has no other.
  func installationFields(orPlain isPlainEnough: Bool = false) async -> [String: String] {
    let attested = await attestedToken()
    guard attested == nil, isPlainEnough else { return attested.map { [Self.installationField: $0] } ?? [:] }
    var state = AttestationState.read(statePath)
    if state.plain == nil {
      state.plain = try? await post("installations", nil, as: PlainTokenAnswer.self).token
      try? state.write(statePath)
    }
    return state.plain.map { [Self.installationField: $0] } ?? [:]
  }

  static let installationField = "Ringfence-Installation"
  static let attestationField = "Ringfence-Attestation"

  private func attestedToken() async -> String? {
    guard let device, device.isSupported else { return nil }
    var state = AttestationState.read(statePath)
    let now = environment.now()
    let isDue = state.token.map { now >= $0.renewFrom } ?? true
    if isDue, now >= state.notBefore {
      // Attempts after a failure are a day apart: Apple limits the attestations of an app.
      state.notBefore = now + 86_400
      do {
        try await renew(&state, with: device, at: now)
      } catch is CancellationError {
        state.notBefore = now
      } catch {
        // The report is sent without a token.
      }
      try? state.write(statePath)
    }
    return state.token.flatMap { now < $0.expiresAt ? $0.token : nil }
  }

  /// Reads the server's word about the token that a request carried.
  func noteInstallation(_ head: ClientHead) {
    guard let word = head[Self.attestationField], word != "ok" else { return }
    var state = AttestationState.read(statePath)
    // Revoked, or ended by a clock that differs: its key, which is the reporter, renews it later.
    state.plain = nil
    state.token?.expiresAt = .distantPast
    state.token?.renewFrom = .distantPast
    state.notBefore = environment.now() + 3_600
    try? state.write(statePath)
  }

  private func renew(
    _ state: inout AttestationState, with device: any DeviceAttestation, at now: Date
  ) async throws {
    if let former = state.token {
      let challenge = try await challenge()
      let message = Data("ringfence renewal v1".utf8) + [0] + challenge
      do {
        let proof = try await device.assert(former.key, hash: Self.hash(message))
        state.token = try await token(
          ["public_key": former.publicKey, "assertion": proof.base64EncodedString()], challenge, key: former.key)
        state.notBefore = now
        return
      } catch let refusal as AttestationRefused where refusal.tryAgain != "with_new_key" {
        return
      } catch let error where error is ClientError || error is CancellationError {
        throw error
      } catch {
        // The key is gone, after the phone was restored, or the server has forgotten it.
      }
    }
    let key: String
    if let waiting = state.newKey { key = waiting } else { key = try await device.makeKey() }
    state.newKey = key
    let challenge = try await challenge()
    let object: Data
    do {
      object = try await device.attest(key, hash: Self.hash(challenge))
    } catch let error where error is ClientError || error is CancellationError {
      // Without an answer of Apple the key can be used again.
      throw error
    } catch {
      state.newKey = nil
      throw error
    }
    // A key can be attested once, whatever the server answers.
    state.newKey = nil
    do {
      state.token = try await token(
        ["key_id": key, "attestation": object.base64EncodedString()], challenge, key: key)
      state.notBefore = now
    } catch let refusal as AttestationRefused where refusal.tryAgain == "never" {
      state.notBefore = now + 30 * 86_400
    }
  }

  /// The server's refusal of a proof.
  private struct AttestationRefused: Error {
    let tryAgain: String
  }

  private func challenge() async throws -> Data {
    try await post("installations/challenges", nil, as: ChallengeAnswer.self).challenge
  }

  private func token(_ members: [String: String], _ challenge: Data, key: String) async throws -> InstallationToken {
    let body = members.merging(["platform": "ios", "challenge": challenge.base64EncodedString()]) { $1 }
    let answer = try await post("installations", try JSONEncoder().encode(body), as: TokenAnswer.self)
    let style = ISO8601DateFormatter()
    guard let end = style.date(from: answer.expires_at), let renewal = style.date(from: answer.renew_from) else {
      throw ClientError.network("The response has no times.")
    }
    return InstallationToken(
      token: answer.token, expiresAt: end, renewFrom: renewal, key: key, publicKey: answer.public_key)
  }

  private func post<Answer: Decodable>(_ path: String, _ body: Data?, as _: Answer.Type) async throws -> Answer {
    var request = ClientRequest(
      "POST", configuration.server.appendingPathComponent(path),
      fields: ["Authorization": "Bearer \(configuration.key)"], body: body)
    if body != nil { request.fields["Content-Type"] = "application/json" }
    let (head, data) = try await transport.send(request, limit: 65_536)
    if head.status == 422, head.isProblem {
      throw AttestationRefused(tryAgain: head["Ringfence-Try-Again"] ?? "later")
    }
    guard head.status == 201 else { throw ClientError.status(head.status) }
    guard let answer = try? JSONDecoder().decode(Answer.self, from: data) else {
      throw ClientError.network("The response is not an answer of the server.")
    }
    return answer
  }

  private static func hash(_ data: Data) -> Data { Data(PackDigest.of(Array(data)).bytes) }
}
