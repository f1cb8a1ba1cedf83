package import Foundation
package import Intake
package import Logging
package import Publishing
package import Storage

/// Everything the pages work with.
package struct SiteServices: Sendable {
  /// The database.
  package let stores: Stores
  /// Accounts and signing in.
  package let accounts: AccountServices
  /// The intake of reports, whose depth the health page shows.
  package let intake: ReportIntake
  /// Keyed hashes of networks.
  package let pseudonymizer: Pseudonymizer
  /// What has been published.
  package let folder: PublicationFolder
  /// Differences between publications.
  package let diff: PublicationDiff
  /// Previews of changed thresholds.
  package let previews: ThresholdPreviews
  /// Publications ordered on a page; nil where this server cannot publish.
  package let publicationJobs: PublicationJobs?
  /// Reads recipes.yaml again.
  package let recipes: @Sendable () -> RecipeReading
  /// The time of the next scheduled publication, seen from a time; nil where none is scheduled.
  package let nextPublication: @Sendable (Date) -> Date?

  /// - Parameters:
  ///   - publicationJobs: nil where this server cannot publish.
  ///   - nextPublication: seen from a time; nil where none is scheduled.
  package init(
    stores: Stores, accounts: AccountServices, intake: ReportIntake, pseudonymizer: Pseudonymizer,
    folder: PublicationFolder, review: BrigadeReview?, publicationJobs: PublicationJobs? = nil,
    recipes: @escaping @Sendable () -> RecipeReading = { RecipeReading(file: "", outcome: .success([])) },
    nextPublication: @escaping @Sendable (Date) -> Date? = { _ in nil }, logger: Logger
  ) {
    self.stores = stores
    self.accounts = accounts
    self.intake = intake
    self.pseudonymizer = pseudonymizer
    self.folder = folder
    self.publicationJobs = publicationJobs
    self.recipes = recipes
    self.nextPublication = nextPublication
    diff = PublicationDiff(folder: folder)
    previews = ThresholdPreviews(
      store: stores.publications, thresholds: stores.thresholds, desk: stores.jobs, holding: review, logger: logger)
  }

  /// Makes previews and ordered publications until ``close()`` is called.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [previews] in await previews.run() }
      if let publicationJobs { group.addTask { await publicationJobs.run() } }
    }
  }

  /// Ends ``run()``.
  package func close() {
    previews.close()
    publicationJobs?.close()
  }
}
