// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import HTTPServer
package import Intake
package import ModerationSite
package import Publishing
package import Storage
package import Telemetry

/// Stores and services of a server; tests create their own.
package struct ServerServices: Sendable {
  /// The database.
  package let stores: Stores
  /// The intake of reports.
  package let intake: ReportIntake
  /// The intake of identifications.
  package let identifications: IdentificationIntake
  /// Computes keyed hashes of reporters and networks.
  package let pseudonymizer: Pseudonymizer
  /// Counts the uses of API keys.
  package let keyUses: KeyUseCounter
  /// The pages' services.
  package let site: SiteServices
  /// All metrics.
  package let metrics: PrometheusMetricsFactory
  /// The folder of published files.
  package let publications: PublicationFolder
  /// The time of the next scheduled publication after a given time; nil if none is scheduled.
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
