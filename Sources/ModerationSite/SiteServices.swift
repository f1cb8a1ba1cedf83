// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Importing
package import Intake
package import Logging
package import Publishing
package import Storage

/// Stores and services that the pages use.
package struct SiteServices: Sendable {
  /// The database.
  package let stores: Stores
  /// Services for accounts and sign-in.
  package let accounts: AccountServices
  /// The intake of reports; the health page shows its queue.
  package let intake: ReportIntake
  /// Computes keyed hashes of networks.
  package let pseudonymizer: Pseudonymizer
  /// The folder of published files.
  package let folder: PublicationFolder
  /// Differences between publications.
  package let diff: PublicationDiff
  /// Previews of threshold changes.
  package let previews: ThresholdPreviews
  /// Publications ordered on a page; nil if this server cannot publish.
  package let publicationJobs: PublicationOrders?
  /// Previews of sources; nil if this server cannot read them.
  package let feedPreviews: SourcePreviewer?
  /// Reads recipes.yaml again at each call.
  package let recipes: @Sendable () -> RecipeReading
  /// The time of the next scheduled publication after a given time; nil if none is scheduled.
  package let nextPublication: @Sendable (Date) -> Date?

  /// - Parameters:
  /// - publicationJobs: nil if this server cannot publish.
  /// - nextPublication: the next scheduled publication after a given time; nil if none is scheduled.
  package init(
    stores: Stores, accounts: AccountServices, intake: ReportIntake, pseudonymizer: Pseudonymizer,
    folder: PublicationFolder, review: BrigadeReview?, publicationJobs: PublicationOrders? = nil,
    feedPreviews: SourcePreviewer? = nil,
    recipes: @escaping @Sendable () -> RecipeReading = { RecipeReading(file: "", outcome: .success([])) },
    nextPublication: @escaping @Sendable (Date) -> Date? = { _ in nil }, logger: Logger
  ) {
    self.stores = stores
    self.accounts = accounts
    self.intake = intake
    self.pseudonymizer = pseudonymizer
    self.folder = folder
    self.publicationJobs = publicationJobs
    self.feedPreviews = feedPreviews
    self.recipes = recipes
    self.nextPublication = nextPublication
    diff = PublicationDiff(folder: folder)
    previews = ThresholdPreviews(
      store: stores.publications, thresholds: stores.thresholds, jobs: stores.jobs, holding: review, logger: logger)
  }

  /// Runs the background work, previews and ordered publications, until ``close()`` is called.
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
