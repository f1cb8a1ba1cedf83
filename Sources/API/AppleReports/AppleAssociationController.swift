// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Hummingbird
import Intake

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
