// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Curation
import Importing
import Intake
import Logging
import ModerationSite
import Publishing
import RingfenceServer
import Storage
import Telemetry

extension CommandContext {
  /// Creates a server for this database and folder.
  /// - Parameters:
  ///   - jobs: settings of its background jobs.
  ///   - metrics: receives all metrics.
  func server(
    _ publication: PublicationConfiguration, jobs: JobConfiguration, metrics: PrometheusMetricsFactory, logger: Logger
  ) async throws -> Server {
    let pseudonymizer = try folder.pseudonymizer()
    let accountKey = try await accountKey()
    try await stores.webhooks.replaceReceivers(publication.policy.webhooks.urls.map(\.absoluteString))
    let protection = ProtectionCache(store: stores.protection)
    try await protection.refresh()
    let pending = PendingNumberQueue()
    let intake = ReportIntake(
      store: stores.reports, pseudonymizer: pseudonymizer, protection: protection, touched: pending,
      metrics: metrics)
    let publisher = try publisher(publication, logger: logger)
    let accounts = AccountServices(
      sessions: stores.sessions, accounts: stores.accounts, attempts: stores.attempts, auditLog: stores.auditLog,
      key: accountKey)
    let schedule = jobs.schedule
    let site = SiteServices(
      stores: stores, accounts: accounts, intake: intake, pseudonymizer: pseudonymizer, folder: publicationFolder,
      review: BrigadeReview(store: stores.holds), publicationJobs: publicationJobs(publisher, logger: logger),
      feedPreviews: try feedPreviewer(limits: .preview), recipes: recipes(publication.recipes),
      nextPublication: { schedule?.next(after: $0) }, logger: logger)
    let services = ServerServices(
      stores: stores, intake: intake,
      identifications: IdentificationIntake(store: stores.identifications, metrics: metrics),
      pseudonymizer: pseudonymizer, site: site, metrics: metrics, publications: publicationFolder,
      nextPublication: { schedule?.next(after: $0) })
    return Server(
      services: services, publisher: publisher, protection: protection, pending: pending, jobs: jobs,
      webhookSecret: try folder.key("webhook.secret", \.webhookSecret), sources: try feedRefresher(), logger: logger)
  }

  /// Runs publications ordered on a page, one at a time on all servers.
  private func publicationJobs(_ publisher: Publisher, logger: Logger) -> PublicationOrders {
    let leases = stores.leases
    return PublicationOrders(store: stores.jobs, logger: logger) { request in
      let made = try await leases.withLease(of: LeaseStore.publishing) { try await publisher.publish(request) }
      guard made != nil else { throw PublishingError.busy }
    }
  }

  /// Reads the recipes again at each call.
  private func recipes(_ file: String?) -> @Sendable () -> RecipeReading {
    let (folder, installation) = (folder, installation)
    return {
      let path = Recipe.file(named: file, data: folder.path, installation: installation)
      do throws(RecipeFileError) {
        return RecipeReading(file: path, outcome: .success(try RecipeFile.read(contentsOf: path)))
      } catch {
        return RecipeReading(file: path, outcome: .failure(error))
      }
    }
  }
}
