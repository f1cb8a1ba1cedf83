// SPDX-License-Identifier: Apache-2.0

import Accounts
import Curation
import Foundation
import HTTPTypes
import Hummingbird
import Intake
import Moderation
import Publishing
import ServiceLifecycle
import Storage
import Synchronization
import TestSupport

@testable import HTTPServer
@testable import ModerationSite
@testable import RingfenceCommand

/// A server on a test's database with a real socket.
struct TestServer {
  let key: String
  let folder: PublicationFolder
  let sessions: SessionStore
  let readiness: Readiness
  let fetches: ClientFetchCounter
  let client: ServerClient
  let remediations: RemediationIntake
  private let gate: Gate

  /// - Parameters:
  /// - configure: changes the configuration.
  /// - clock: the clock of rate limits.
  /// - capacity: of the intake.
  /// - deadlineFactor: how many times as long as for users deadlines are; 1 where a test waits for one.
  /// - isPlain: whether the test has its own clients.
  /// - commits: whether the intake commits from the start.
  /// - routes: receives the routes.
  /// - app: the name of the app of ``key``; two servers on one database need different ones.
  /// - publish: runs orders from pages; nil if none can be made.
  static func run(
    configure: (inout ServerConfiguration) -> Void = { _ in }, clock: LimitClock = .system, capacity: Int = 20_000,
    deadlineFactor: Int = 60, isPlain: Bool = false, commits: Bool = true, routes: Routes = Routes(),
    app: String = "Test app", publish: (@Sendable (PublicationRequest) async throws -> Void)? = nil,
    _ body: @Sendable @escaping (TestServer) async throws -> Void
  ) async throws {
    let stores = Stores(pool: TestDatabase.current.pool)
    let pseudonymizer = Pseudonymizer(key: [UInt8](repeating: 1, count: 32))
    let intake = ReportIntake(
      store: stores.reports, pseudonymizer: pseudonymizer, capacity: capacity, patience: .seconds(300),
      stallLimit: .seconds(300))
    let identifications = IdentificationIntake(
      store: stores.identifications, patience: .seconds(300), stallLimit: .seconds(300))
    let remediations = RemediationIntake(
      store: stores.remediations, pseudonymizer: pseudonymizer, patience: .seconds(300), stallLimit: .seconds(300))
    let key = try await stores.apps.create(name: app, at: Date()).key
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let accounts = AccountServices(
        sessions: stores.sessions, accounts: stores.accounts, attempts: stores.attempts, auditLog: stores.auditLog,
        key: AccountKey([UInt8](repeating: 2, count: 32)),
        commonPasswords: try CommonPasswords(contentsOf: URL(filePath: "\(Checkout.resources)/common-passwords.txt")))
      let site = SiteServices(
        stores: stores, moderation: ModerationServices(stores: stores), accounts: accounts, intake: intake,
        pseudonymizer: pseudonymizer, folder: folder,
        review: BrigadeReview(store: stores.holds),
        publicationJobs: publish.map { PublicationOrders(store: stores.jobs, logger: .forTests, publish: $0) },
        logger: .forTests)
      let services = ServerServices(
        stores: stores, intake: intake, identifications: identifications, remediations: remediations,
        pseudonymizer: pseudonymizer, site: site,
        publications: folder, clock: clock)
      var configuration = try ServerConfiguration(
        Settings(environment: [:]), Installation(root: Checkout.root))
      configuration.port = 0
      // Tests connect before they have something to send.
      configuration.connections.firstByte = .seconds(60)
      configure(&configuration)
      let ports = AsyncStream<Int>.makeStream()
      let application = buildApplication(
        services: services, texts: try Self.texts(configuration), configuration: configuration, logger: .forTests,
        onRouter: { routes.add($0) }, onRunning: { ports.continuation.yield($0) })
      let gate = Gate(isOpen: commits)
      async let running: Void = {
        await gate.wait()
        await intake.run()
      }()
      async let counting: Void = identifications.run()
      async let remedying: Void = remediations.run()
      async let jobs: Void = site.run()
      defer {
        gate.open()
        intake.close()
        identifications.close()
        remediations.close()
        site.close()
      }
      let work = { @Sendable (client: ServerClient) in
        try await body(
          TestServer(
            key: key, folder: folder, sessions: stores.sessions, readiness: services.readiness,
            fetches: services.fetches, client: client, remediations: remediations, gate: gate))
      }
      let service = ServiceGroup(services: [application], logger: .forTests)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          // Without a port, where the server does not start.
          defer { ports.continuation.finish() }
          try await Deadlines.$factor.withValue(deadlineFactor) { try await service.run() }
        }
        for await port in ports.stream {
          do {
            try await work(ServerClient(port: port))
          } catch {
            await service.triggerGracefulShutdown()
            throw error
          }
          break
        }
        // Own clients of a test may leave connections open.
        if isPlain { group.cancelAll() } else { await service.triggerGracefulShutdown() }
        do { try await group.waitForAll() } catch  where isPlain && error is CancellationError {}
      }
      gate.open()
      intake.close()
      identifications.close()
      remediations.close()
      site.close()
      _ = await (running, counting, remedying, jobs)
    }
  }

  private static let loaded = Mutex<[Bool: ServerTexts]>([:])

  /// The texts of the checkout, which are parsed once for all tests.
  private static func texts(_ configuration: ServerConfiguration) throws -> ServerTexts {
    try loaded.withLock { loaded in
      let key = configuration.access.publicationsNeedKey
      let texts = try loaded[key] ?? ServerTexts(configuration: configuration)
      loaded[key] = texts
      return texts
    }
  }

  /// Starts the commits of an intake that was told to wait.
  func commitNow() { gate.open() }

  var port: Int { client.port }

  /// Creates a session of the account with this role, always the same account.
  func session(_ role: Role) async throws -> String {
    let token = try await sessions.makeSignInToken(for: "The \(role.rawValue)", role: role, at: Date())
    guard case .session(let session, _) = try await sessions.enter(link: token, at: Date()) else {
      throw Problem.notFound
    }
    return session
  }

  func report(_ json: String, key: String? = nil, type: String = "application/json") async throws -> TestResponse {
    try await post("/v1/reports", json, key: key, type: type)
  }

  func post(
    _ uri: String, _ json: String, key: String? = nil, type: String = "application/json", headers: HTTPFields = [:]
  ) async throws -> TestResponse {
    var headers = headers
    headers[.authorization] = "Bearer \(key ?? self.key)"
    headers[.contentType] = type
    return try await client.execute(uri: uri, method: .post, headers: headers, body: ByteBuffer(string: json))
  }
}

/// The routes of a server, without those that refuse a method.
final class Routes: Sendable {
  private let routes = Mutex<[(method: HTTPRequest.Method, path: String)]>([])

  var all: [(method: HTTPRequest.Method, path: String)] {
    everything.filter { [.get, .post].contains($0.method) }
  }

  var everything: [(method: HTTPRequest.Method, path: String)] { routes.withLock { $0 } }

  func add(_ added: [(method: HTTPRequest.Method, path: String)]) {
    routes.withLock { $0 = added }
  }
}

/// Blocks one waiter until it is opened.
private final class Gate: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init(isOpen: Bool) {
    (stream, continuation) = AsyncStream.makeStream()
    if isOpen { open() }
  }

  func open() { continuation.finish() }

  func wait() async {
    for await _ in stream {}
  }
}

/// A clock that tests advance.
final class TestClock: Sendable {
  private let seconds = Mutex(0.0)
  private let begin: Date

  /// - Parameter begin: the initial time of day.
  init(begin: Date = Date()) {
    self.begin = begin
  }

  func advance(_ seconds: Double) { self.seconds.withLock { $0 += seconds } }

  var limitClock: LimitClock {
    LimitClock(
      monotonic: { UInt64(self.seconds.withLock { $0 } * 1_000_000_000) },
      wall: { self.begin + self.seconds.withLock { $0 } })
  }
}
