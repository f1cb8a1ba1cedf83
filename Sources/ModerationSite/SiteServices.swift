// SPDX-License-Identifier: Apache-2.0

package import Accounts
package import Foundation
package import HTTPServer
package import Importing
package import Intake
package import Logging
package import Publishing
package import Storage

/// Stores and services that the pages use.
package struct SiteServices: Sendable {
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

/// Settings of the pages.
package struct SiteConfiguration: Sendable {
  /// Folder of page templates.
  package let templateFolder: String
  /// Whether browsers reach the server only by https, so that cookies are marked secure.
  package let isSecure: Bool
  /// Roles that must have a second factor.
  package let secondFactor: SecondFactorPolicy
  /// Visibility of the public number pages.
  package let publicNumbers: PublicNumberVisibility
  /// Difficulty of an appeal's proof of work in leading zero bits, 0 to 32.
  package let appealDifficulty: Int
  /// Minimum seconds between showing an appeal form and sending it without proof of work.
  package let appealDelay: Int
  /// The interfaces with copies of publications. With lists there is a page of them.
  package let interfaces: PublicationInterfaces
  /// Whether publications need a key.
  package let publicationsNeedKey: Bool
  /// Rate limits.
  package let limits: RequestLimits

  package init(
    templateFolder: String, isSecure: Bool, secondFactor: SecondFactorPolicy,
    publicNumbers: PublicNumberVisibility, appealDifficulty: Int, appealDelay: Int,
    interfaces: PublicationInterfaces, publicationsNeedKey: Bool, limits: RequestLimits
  ) {
    self.templateFolder = templateFolder
    self.isSecure = isSecure
    self.secondFactor = secondFactor
    self.publicNumbers = publicNumbers
    self.appealDifficulty = appealDifficulty
    self.appealDelay = appealDelay
    self.interfaces = interfaces
    self.publicationsNeedKey = publicationsNeedKey
    self.limits = limits
  }
}

/// Stores and services for the pages about accounts.
package struct AccountServices: Sendable {
  package let accounts: AccountStore
  /// Checks sign-ins.
  package let signIn: SignInService
  package let auditLog: AuditLog
  /// Hashes passwords.
  package let hasher: PasswordHasher
  /// The key that encrypts the secrets of second factors and hashes recovery codes.
  package let key: AccountKey

  /// - Parameter attempts: counts failed sign-ins.
  package init(
    sessions: SessionStore, accounts: AccountStore, attempts: AttemptStore, auditLog: AuditLog, key: AccountKey,
    hasher: PasswordHasher = PasswordHasher()
  ) {
    self.accounts = accounts
    self.auditLog = auditLog
    self.hasher = hasher
    self.key = key
    signIn = SignInService(sessions: sessions, accounts: accounts, attempts: attempts, hasher: hasher, key: key)
  }
}
