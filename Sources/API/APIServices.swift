// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import HTTPServer
package import Intake
package import Metrics
package import Publishing
package import Storage

/// Stores and services that the API uses.
package struct APIServices: Sendable {
  package let stores: Stores
  package let intake: ReportIntake
  package let identifications: IdentificationIntake
  package let pseudonymizer: Pseudonymizer
  package let apps: APIKeyCache
  package let limiter: RateLimiter
  package let publications: PublicationFolder
  package let nextPublication: @Sendable (Date) -> Date?
  package let failures: FailureLog
  package let metrics: any MetricsFactory

  /// - Parameters:
  /// - uses: counts the uses of keys.
  /// - nextPublication: the next scheduled publication after a given time.
  /// - failures: logs internal failures at a limited rate.
  /// - metrics: makes the metrics of lists.
  package init(
    stores: Stores, intake: ReportIntake, identifications: IdentificationIntake, pseudonymizer: Pseudonymizer,
    uses: KeyUseCounter, limiter: RateLimiter, publications: PublicationFolder,
    nextPublication: @escaping @Sendable (Date) -> Date?, failures: FailureLog, metrics: any MetricsFactory
  ) {
    self.stores = stores
    self.intake = intake
    self.identifications = identifications
    self.pseudonymizer = pseudonymizer
    apps = APIKeyCache(apps: stores.apps, uses: uses)
    self.limiter = limiter
    self.publications = publications
    self.nextPublication = nextPublication
    self.failures = failures
    self.metrics = metrics
  }
}
