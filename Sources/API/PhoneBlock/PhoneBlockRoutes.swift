// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import Metrics
import PhoneNumbers
import Publishing
import Storage

/// The API of PhoneBlock's clients under `/phoneblock/api`, over the services of `/v1` and with its limits.
struct PhoneBlockRoutes {
  let services: APIServices
  /// The region of national numbers.
  let region: PhoneRegion?
  let network: NetworkLimitMiddleware
  let bodies: BodyReader
  let reports: ReportsController
  let newest: NewestManifest
  let lists: ListFiles
  let files: FileAnswer

  func add(to router: Router<ServerRequestContext>) {
    let numbers = PhoneBlockNumber(region: region)
    let metrics = PhoneBlockMetrics(services.metrics)
    let ranges = ListedRanges(store: services.stores.callers)
    let lookups = PhoneBlockLookups(
      callers: services.stores.callers, ranges: ranges, numbers: numbers, pseudonymizer: services.pseudonymizer,
      metrics: metrics)
    let account = PhoneBlockAccount(
      personal: services.stores.personalNumbers, numbers: numbers, pseudonymizer: services.pseudonymizer,
      bodies: bodies)
    group(router, .lookup)
      .get("check", use: lookups.check)
      .get("check-prefix", use: lookups.checkPrefix)
      .get("num/:number", use: lookups.number)
      .get("test", use: account.test)
    let blockLists = PhoneBlockLists(
      newest: newest, lists: lists, files: files, callers: services.stores.callers,
      publications: services.stores.publications,
      hottest: HottestCallers(
        callers: services.stores.callers, publications: services.stores.publications, region: region),
      personal: services.stores.personalNumbers, pseudonymizer: services.pseudonymizer, metrics: metrics)
    group(router, .fetch).get("blocklist", use: blockLists.list)
    let taking = PhoneBlockReports(
      reports: reports, identifications: services.identifications, counter: services.remediations.counter,
      numbers: numbers, bodies: bodies)
    group(router, .identify).post("report-call/:number", use: taking.call)
    let owned = group(router, .report)
    owned.post("rate", use: taking.rate).get("account", use: account.account)
      .put("account", use: account.change)
    for (name, isBlocked) in [("blacklist", true), ("whitelist", false)] {
      owned.get("\(name)", use: account.list(isBlocked: isBlocked))
        .put("\(name)/:phone", use: account.add(isBlocked: isBlocked))
        .delete("\(name)/:phone", use: account.remove(isBlocked: isBlocked))
    }
  }

  /// Routes that need a key with the scope.
  private func group(
    _ router: Router<ServerRequestContext>, _ scope: AppScopes
  ) -> RouterGroup<ServerRequestContext> {
    let keys = APIKeyMiddleware(directory: services.apps, places: PhoneBlockCredentials.places)
    return router.group("phoneblock/api").add(middleware: PhoneBlockErrorMiddleware(failures: services.failures))
      .add(middleware: network).add(middleware: keys)
      .add(middleware: ReportRefusalMiddleware(traffic: services.intake.traffic))
      .add(middleware: AppLimitMiddleware(limiter: services.limiter)).add(middleware: ScopeMiddleware(scope: scope))
  }
}

/// Counts the answers of PhoneBlock's lookups by outcome, and its block lists by format.
struct PhoneBlockMetrics: Sendable {
  enum Outcome: String, CaseIterable {
    case listed, range, allowed, unlisted
  }

  enum List: String, CaseIterable {
    case full, changes, hottest, binary, personal
  }

  private let lookups: [Outcome: Counter]
  private let lists: [List: Counter]

  init(_ factory: any MetricsFactory) {
    lookups = Dictionary(
      uniqueKeysWithValues: Outcome.allCases.map { outcome in
        let labels = [("outcome", outcome.rawValue)]
        return (
          outcome, Counter(label: "ringfence_phoneblock_lookups_total", dimensions: labels, factory: factory)
        )
      })
    lists = Dictionary(
      uniqueKeysWithValues: List.allCases.map { list in
        let labels = [("list", list.rawValue)]
        return (list, Counter(label: "ringfence_phoneblock_lists_total", dimensions: labels, factory: factory))
      })
  }

  func note(_ outcome: Outcome) { lookups[outcome]?.increment() }

  func note(_ list: List) { lists[list]?.increment() }

  func note(_ info: PhoneInfo) {
    note(info.whiteListed ? .allowed : info.votes > 0 ? .listed : info.votesWildcard > 0 ? .range : .unlisted)
  }
}

/// The users of PhoneBlock's clients, by their keys.
enum PhoneBlockCredentials {
  static let places: ClientKey.Places = [.bearer, .basic]

  /// The user of a request. PhoneBlock's clients do not name their users, so each key is one: reports of several phones
  /// with the same key belong to one reporter.
  static func reporter(of request: Request) throws -> String {
    guard let key = ClientKey.key(of: request, in: places) else { throw Problem.unauthorized }
    return "phoneblock \(Hexadecimal.text(SHA256.hash(data: Data(key.utf8)).prefix(16)))"
  }
}

extension Pseudonymizer {
  /// The pseudonym of a request's user, as in reports.
  func pseudonym(of request: Request, context: ServerRequestContext) throws -> [UInt8] {
    guard let app = context.app else { throw Problem.unauthorized }
    return pseudonym(of: try PhoneBlockCredentials.reporter(of: request), appID: app.id)
  }
}
