package import Foundation
package import HTTPServer
package import Intake
package import ModerationSite
package import Publishing
package import Storage
package import Telemetry

/// Everything a server works with; tests build their own.
package struct ServerServices: Sendable {
  /// The database.
  package let stores: Stores
  /// The intake of reports.
  package let intake: ReportIntake
  /// The intake of identifications.
  package let identifications: IdentificationIntake
  /// Keyed hashes of reporters and networks.
  package let pseudonymizer: Pseudonymizer
  /// Counts which API keys are used.
  package let keyUses: KeyUseCounter
  /// The pages' services.
  package let site: SiteServices
  /// All metrics.
  package let metrics: PrometheusMetricsFactory
  /// What has been published.
  package let publications: PublicationFolder
  /// The time of the next scheduled publication, seen from a time; nil where none is scheduled.
  package let nextPublication: @Sendable (Date) -> Date?
  /// Whether the server accepts requests.
  package let readiness: Readiness
  /// The clock of rate limits.
  package let clock: LimitClock

  /// - Parameters: see the properties.
  package init(
    stores: Stores, intake: ReportIntake, identifications: IdentificationIntake, pseudonymizer: Pseudonymizer,
    keyUses: KeyUseCounter = KeyUseCounter(), site: SiteServices,
    metrics: PrometheusMetricsFactory = PrometheusMetricsFactory(),
    publications: PublicationFolder, nextPublication: @escaping @Sendable (Date) -> Date? = { _ in nil },
    readiness: Readiness = Readiness(), clock: LimitClock = .system
  ) {
    self.stores = stores
    self.intake = intake
    self.identifications = identifications
    self.pseudonymizer = pseudonymizer
    self.keyUses = keyUses
    self.site = site
    self.metrics = metrics
    self.publications = publications
    self.nextPublication = nextPublication
    self.readiness = readiness
    self.clock = clock
  }
}
