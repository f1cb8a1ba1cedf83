// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import NIOCore
import Storage
import Synchronization
import Support

/// `POST /v1/reporters/export`, `/erase`, `/restrict` and `/release`: rights of a reporter, on the word of the app's server.
/// The answers are the same for a reporter that is not known.
final class ReporterRightsController: Sendable {
  /// A right; its raw value is the last part of the address.
  enum Right: String, CaseIterable {
    case export, erase, restrict, release
  }

  private struct Body: Decodable {
    /// The app's own name.
    let reporter: String?
    /// The token of an installation, or its identifier.
    let installation: String?
    let requested_at: String
  }

  private struct Erased: Encodable {
    let found: Int
  }

  /// The maximum requests of an app in a UTC day: each reads all reports.
  static let maxADay = 200

  private static let signature = HTTPField.Name("Ringfence-Signature")!

  private let rights: RightsService
  private let bodies: BodyReader
  private let made = Mutex(DailyCounts(limit: ReporterRightsController.maxADay, capacity: 4_096))

  init(rights: RightsService, bodies: BodyReader) {
    (self.rights, self.bodies) = (rights, bodies)
  }

  func handler(of right: Right) -> @Sendable (Request, ServerRequestContext) async throws -> Response {
    { [self] request, context in
      try await proven(request, context) { body, app, now in
        switch right {
        case .export:
          let data = try await rights.export(body.reporter, installation: body.installation, of: app, at: now)
          return Response(
            status: .ok, headers: [.contentType: JSON.contentType, .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: data)))
        case .erase:
          let found = try await rights.erase(body.reporter, installation: body.installation, of: app, at: now)
          return JSON.response(Erased(found: found))
        case .restrict, .release:
          try await rights.restrict(
            body.reporter, installation: body.installation, to: right == .restrict, of: app, at: now)
        }
        return Response(status: .noContent)
      }
    }
  }

  private static func malformed(_ pointer: String, _ code: String, _ detail: String) -> Problem {
    Problem(.malformed, errors: [Problem.Field(pointer: pointer, code: code, detail: detail)])
  }

  /// Checks the proof, and answers.
  private func proven(
    _ request: Request, _ context: ServerRequestContext,
    _ work: (Body, App, Date) async throws -> Response
  ) async throws -> Response {
    guard let app = context.app, let key = ClientKey.key(of: request, in: .bearer) else { throw Problem.unauthorized }
    guard JSON.mediaType(of: request) == "application/json" else { throw Problem.unsupportedMediaType }
    let signature = request.headers[Self.signature] ?? ""
    return try await bodies.read(request, .object, context: context) { data in
      let body = try JSON.decode(Body.self, from: data)
      guard body.reporter != nil || body.installation != nil else {
        throw Self.malformed("/reporter", "missing", "Send reporter, installation, or both.")
      }
      for (pointer, text) in [("/reporter", body.reporter), ("/installation", body.installation)] {
        guard let text, !(1...TextLimit.reporter).contains(text.unicodeScalars.count) else { continue }
        throw Self.malformed(pointer, "length", "Send 1 to \(TextLimit.reporter) characters.")
      }
      guard let time = Timestamp.parse(body.requested_at) else {
        throw Self.malformed("/requested_at", "not_a_time", "Send an RFC 3339 time, such as 2026-11-21T12:00:00Z.")
      }
      let now = Date()
      guard
        try await rights.accept(
          signature, of: Data("\(request.uri.path)\n".utf8) + data, key: key, requestedAt: time, at: now)
      else { throw Problem(.badProof) }
      guard made.withLock({ $0.take(app.id, at: now) }) else {
        throw Problem.limited(.init(limit: "app", retryAfter: DailyCounts.secondsLeft(at: now)))
      }
      return try await work(body, app, now)
    }
  }
}
