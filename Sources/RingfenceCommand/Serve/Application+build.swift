// SPDX-License-Identifier: Apache-2.0

import API
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Intake
import Logging
import ModerationSite
import NIOCore
import Publishing
import Storage
import ServerSupport

/// Combines the routes of the API and the pages into one server.
/// - Parameter onRouter: receives all routes, before the routes that refuse methods are added.
/// - Parameter onRunning: receives the port when the server listens.
func buildApplication(
  services: ServerServices, texts: ServerTexts, configuration: ServerConfiguration, logger: Logger,
  onRouter: ([(method: HTTPRequest.Method, path: String)]) -> Void = { _ in },
  onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
) -> some ApplicationProtocol {
  let limiter = RateLimiter(limits: configuration.access.limits, clock: services.clock, metrics: services.metrics)
  let requests = RequestMetrics(services.metrics)
  ServerStatistics(services: services, caseTarget: configuration.site.caseTarget).join(services.metrics)
  let log = RequestLog(isOn: configuration.logsRequests, logger: logger)
  let api = APIServices(
    stores: services.stores, moderation: services.site.moderation, intake: services.intake,
    identifications: services.identifications, remediations: services.remediations,
    pseudonymizer: services.pseudonymizer, rights: services.site.rights, uses: services.keyUses,
    fetches: services.fetches, limiter: limiter,
    publications: services.publications, nextPublication: services.nextPublication,
    failures: log.failures, metrics: services.metrics)
  let router = buildRouter(
    services: services, api: api, texts: texts, configuration: configuration,
    observation: ObservationMiddleware(metrics: requests, log: log))
  onRouter(router.routes.map { ($0.method, $0.path.description) })
  router.refuseOtherMethods()
  let fastPath = ReportFastPathHandlers(
    services: api, trustsProxy: configuration.trustsProxy, metrics: requests, log: log, logger: logger)
  // Behind a proxy all connections come from one network; requests are limited by the forwarded address instead.
  let perNetwork = configuration.trustsProxy ? nil : configuration.access.limits.connectionsPerNetwork
  let connections = OpenConnections(
    max: configuration.maxConnections, maxPerNetwork: perNetwork, shed: requests.shedConnections)
  return Application(
    router: router,
    server: HTTPServerBuilder { responder in
      LimitedHTTPChannel(
        responder: responder, limits: configuration.connections, connections: connections,
        readiness: services.readiness, metrics: requests, makeFastPath: fastPath.makeHandler(on:connection:end:))
    },
    configuration: ApplicationConfiguration(
      address: .hostname(configuration.host, port: configuration.port),
      serverName: ServerName.text,
      backlog: 1_024,
      availableConnectionsDelegate: connections.admission),
    onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? configuration.port) },
    logger: logger)
}

/// Adds the middleware of all requests, then the routes: health, metrics, API, pages. The caller then calls
/// ``Hummingbird/Router/refuseOtherMethods()``.
private func buildRouter(
  services: ServerServices, api: APIServices, texts: ServerTexts, configuration: ServerConfiguration,
  observation: ObservationMiddleware
) -> Router<ServerRequestContext> {
  let site = SiteRoutes(
    services: services.site, configuration: configuration.site, access: configuration.access, pages: texts.pages,
    description: texts.description, clock: services.clock, failures: observation.log.failures)
  let router = Router(context: ServerRequestContext.self, options: [.autoGenerateHeadEndpoints])
  router.add(middleware: observation)
  router.add(middleware: SecurityHeadersMiddleware())
  router.add(middleware: LanguageMiddleware())
  if configuration.access.interfaces.contains(.telephoneSystems) {
    router.add(middleware: EmptyErrorMiddleware(path: APIRoutes.telephoneSystemPath))
  }
  router.add(middleware: ErrorMiddleware(page: site.problemPage, failures: observation.log.failures))
  router.add(middleware: MethodMiddleware())
  router.add(middleware: HostMiddleware())
  router.add(middleware: PublicFilesMiddleware(folder: configuration.installation.publicFiles))
  router.add(middleware: SameOriginMiddleware())

  let health = HealthController(
    health: services.stores.health, operations: services.stores.operations, intake: services.intake,
    readiness: services.readiness,
    rights: services.site.rights)
  router.get("healthz", use: health.alive)
  router.get("readyz", use: health.ready)
  let metrics = MetricsController(
    metrics: services.metrics,
    access: MetricsAccess(token: configuration.metricsToken))
  router.get("metrics", use: metrics.read)
  let networkLimit = NetworkLimitMiddleware(limiter: api.limiter, trustsProxy: configuration.trustsProxy)
  APIRoutes(
    services: api, configuration: configuration.api, access: configuration.access, catalog: texts.catalog,
    description: texts.description, networkLimit: networkLimit
  ).add(to: router)
  site.add(to: router, networkLimit: networkLimit)
  return router
}

/// Messages, templates and the description of the API, read from their files once.
struct ServerTexts: Sendable {
  let catalog: MessageCatalog
  let pages: PageRenderer
  let description: OpenAPIDocument

  /// - Throws: if a template, a message catalog or the description of the API cannot be read, or a template names a
  ///   message that the catalog does not have.
  init(configuration: ServerConfiguration) throws {
    catalog = try MessageCatalog(folder: configuration.installation.texts)
    pages = try PageRenderer(templateFolder: configuration.installation.templates, catalog: catalog)
    description = try OpenAPIDocument(
      contentsOf: configuration.installation.openAPI, publicationsNeedKey: configuration.access.publicationsNeedKey)
  }
}

/// Stores and services of a server; tests create their own.
struct ServerServices: Sendable {
  let stores: Stores
  let intake: ReportIntake
  let identifications: IdentificationIntake
  let remediations: RemediationIntake
  let pseudonymizer: Pseudonymizer
  var keyUses = KeyUseCounter()
  var fetches = ClientFetchCounter()
  let site: SiteServices
  var metrics = PrometheusMetricsFactory()
  let publications: PublicationFolder
  /// The time of the next scheduled publication after a given time; nil if none is scheduled.
  var nextPublication: @Sendable (Date) -> Date? = { _ in nil }
  var readiness = Readiness()
  var clock = LimitClock.system
}
