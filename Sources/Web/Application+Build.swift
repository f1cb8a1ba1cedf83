public import HTTPTypes
public import Hummingbird
import HummingbirdCore
import Intake
public import Logging
import NIOCore
import Telemetry

/// What answers name in `Server`.
let serverName = "ringfence"

/// Puts the web side together.
/// - Parameters:
///   - services: what controllers work with.
///   - onRouter: told which routes there are, before any that refuses a method.
///   - onRunning: told the port once the server listens.
/// - Throws: when a template or a text cannot be read.
public func buildApplication(
  services: WebServices, configuration: WebConfiguration, logger: Logger,
  onRouter: ([(method: HTTPRequest.Method, path: String)]) -> Void = { _ in },
  onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
) async throws -> some ApplicationProtocol {
  let pages = try PageRenderer(
    templateFolder: configuration.templateFolder, textFolder: configuration.textFolder)
  let limiter = Limiter(limits: configuration.limits, clock: services.clock, metrics: services.metrics)
  let requests = RequestMetrics(services.metrics)
  ServerFigures(services: services).join(services.metrics)
  let log = RequestLog(isOn: configuration.logsRequests, logger: logger)
  let apps = AppDirectory(apps: services.apps, uses: services.keyUses)
  let router = buildRouter(
    services: services, configuration: configuration, pages: pages, limiter: limiter, apps: apps,
    observation: ObservationMiddleware(metrics: requests, log: log))
  onRouter(router.routes.map { ($0.method, $0.path.description) })
  router.refuseOtherMethods()
  let shortcuts = ReportShortcuts(
    ReportShortcut(
      intake: services.intake, limiter: limiter, apps: apps,
      networkPseudonym: services.pseudonymizer.network(of:), trustsProxy: configuration.trustsProxy, logger: logger,
      metrics: requests, log: log))
  // Behind a proxy all connections come from one network, and clients are counted by what it forwards.
  let perNetwork = configuration.trustsProxy ? nil : configuration.limits.connectionsPerNetwork
  let networks = perNetwork.map(NetworkConnections.init)
  return Application(
    router: router,
    server: HTTPServerBuilder { responder in
      GuardedHTTPChannel(
        responder: responder, limits: configuration.connections, networks: networks, readiness: services.readiness,
        shortcuts: shortcuts, metrics: requests)
    },
    configuration: ApplicationConfiguration(
      address: .hostname(configuration.host, port: configuration.port),
      serverName: serverName,
      backlog: 1_024,
      availableConnectionsDelegate: MaximumAvailableConnections(configuration.maximumConnections)),
    onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? configuration.port) },
    logger: logger)
}
