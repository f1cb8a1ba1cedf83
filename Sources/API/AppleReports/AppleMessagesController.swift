// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import Hummingbird
import Intake
import PhoneNumbers
import Storage

/// `POST /v1/apple/messages`: the request of a message filter, answered by sender. Its content is never stored or
/// logged.
struct AppleMessagesController: Sendable {
  private struct Answer: Encodable {
    /// `junk` or `none`.
    let action: String
  }

  let settings: AppleReportSettings
  let lookups: HashLookupStore
  let limiter: RateLimiter
  let bodies: BodyReader
  let metrics: AppleReportMetrics

  /// 404 unless an operator has named an app that filters messages.
  @Sendable func filter(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard !settings.filteringApps.isEmpty else { throw Problem.notFound }
    try limiter.charge(1, context: context)
    let sender = try await bodies.read(request, .envelope, context: context) { data in
      try AppleBody.decode(AppleMessageQuery.self, from: data).query.sender
    }
    metrics.noteMessage()
    guard let number = AppleFieldMap.number(sender, region: nil, takesPlain: true) else {
      return JSON.response(Answer(action: "none"))
    }
    let listed = try await withDeadline(.seconds(1)) { [lookups] in try await lookups.listed(number: number.digits) }
    return JSON.response(Answer(action: listed?.mayBlock ?? false ? "junk" : "none"))
  }
}

/// `GET /.well-known/apple-app-site-association`: the apps whose extensions may use this server.
struct AppleAssociationController: Sendable {
  private struct Association: Encodable {
    struct Service: Encodable {
      let apps: [String]
    }
    let classificationreport: Service?
    let messagefilter: Service?
  }

  let settings: AppleReportSettings

  @Sendable func read(_ request: Request, context: ServerRequestContext) async throws -> Response {
    func service(_ apps: [String]) -> Association.Service? { apps.isEmpty ? nil : .init(apps: apps) }
    let association = Association(
      classificationreport: service(settings.reportingApps), messagefilter: service(settings.filteringApps))
    guard association.classificationreport != nil || association.messagefilter != nil else { throw Problem.notFound }
    var response = JSON.response(association)
    response.headers[.contentType] = "application/json"
    response.headers[.cacheControl] = "public, max-age=3600"
    return response
  }
}
