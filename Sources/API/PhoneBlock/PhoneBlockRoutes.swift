// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Hummingbird
import PhoneNumbers
import Publishing
import Storage

/// The API of PhoneBlock's clients under `/phoneblock/api`, over the same services and with the same limits as `/v1`.
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
    let ranges = ApprovedRanges(store: services.stores.callers)
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
      reports: reports, identifications: services.identifications, numbers: numbers, bodies: bodies)
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
      .add(middleware: AppLimitMiddleware(limiter: services.limiter)).add(middleware: ScopeMiddleware(scope: scope))
  }
}
