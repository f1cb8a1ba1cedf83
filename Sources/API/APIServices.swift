package import Foundation
package import HTTPServer
package import Intake
package import Publishing
package import Storage

/// Everything the API works with.
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

  /// - Parameters:
  ///   - uses: counts which keys are used.
  ///   - nextPublication: the time of the next scheduled publication, seen from a time.
  ///   - failures: where a line stands for many failures.
  package init(
    stores: Stores, intake: ReportIntake, identifications: IdentificationIntake, pseudonymizer: Pseudonymizer,
    uses: KeyUseCounter, limiter: RateLimiter, publications: PublicationFolder,
    nextPublication: @escaping @Sendable (Date) -> Date?, failures: FailureLog
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
  }
}
