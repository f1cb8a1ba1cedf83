// SPDX-License-Identifier: Apache-2.0

package import Accounts
package import Foundation
package import Importing
package import Intake
package import Logging
package import Moderation
package import Publishing
package import Storage

package struct SiteServices: Sendable {
  package let stores: Stores
  /// Decisions, reviews, appeals and claims.
  package let moderation: ModerationServices
  package let accounts: AccountServices
  /// The health page shows its queue.
  package let intake: ReportIntake
  package let pseudonymizer: Pseudonymizer
  /// Rights of owners of numbers and of reporters.
  package let rights: RightsService
  package let folder: PublicationFolder
  package let diff: PublicationDiff
  let previews: ThresholdPreviews
  /// Nil if this server cannot publish.
  package let publicationJobs: PublicationOrders?
  /// Nil if this server cannot read sources.
  package let feedPreviews: SourcePreviewer?
  /// Public lists that an administrator adds by name.
  package let sourceCatalog: [SourceCatalog.Entry]
  /// The public service numbers that the page "Protected numbers" offers.
  package let protectionCatalog: ProtectionCatalog
  /// Reads recipes.yaml again at each call.
  package let recipes: @Sendable () -> RecipeReading
  package let schedule: CurrentSchedule

  /// - Parameters:
  /// - rights: nil for rights without a journal and a gateway.
  /// - publicationJobs: nil if this server cannot publish.
  package init(
    stores: Stores, moderation: ModerationServices, accounts: AccountServices, intake: ReportIntake,
    pseudonymizer: Pseudonymizer, rights: RightsService? = nil, folder: PublicationFolder, review: BrigadeReview?,
    publicationJobs: PublicationOrders? = nil,
    feedPreviews: SourcePreviewer? = nil, sourceCatalog: [SourceCatalog.Entry] = [],
    protectionCatalog: ProtectionCatalog = ProtectionCatalog(),
    recipes: @escaping @Sendable () -> RecipeReading = { RecipeReading(file: "", outcome: .success([])) },
    schedule: CurrentSchedule = CurrentSchedule(), logger: Logger
  ) {
    self.stores = stores
    self.moderation = moderation
    self.accounts = accounts
    self.intake = intake
    self.pseudonymizer = pseudonymizer
    self.rights = rights ?? RightsService(stores: stores, pseudonymizer: pseudonymizer, journal: nil)
    self.folder = folder
    self.publicationJobs = publicationJobs
    self.feedPreviews = feedPreviews
    self.sourceCatalog = sourceCatalog
    self.protectionCatalog = protectionCatalog
    self.recipes = recipes
    self.schedule = schedule
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

  package func close() {
    previews.close()
    publicationJobs?.close()
  }
}

/// The operator of the server, on every public page; empty texts are left out.
package struct SiteHost: Sendable {
  let name: String
  let contact: String
  let imprint: String
  /// Whether the transparency report has a public page.
  let hasTransparency: Bool

  package init(name: String = "", contact: String = "", imprint: String = "", hasTransparency: Bool = false) {
    (self.name, self.contact, self.imprint, self.hasTransparency) = (name, contact, imprint, hasTransparency)
  }

  var record: TemplateRecord {
    [
      "name": name, "contact": contact, "imprint": imprint, "hasTransparency": hasTransparency,
    ]
  }
}

package struct SiteConfiguration: Sendable {
  package var host = SiteHost()
  package var secondFactor = SecondFactorPolicy.administrators
  package var publicNumbers = PublicNumberVisibility.off
  /// See ``AppealStamps``.
  package var appealDifficulty = AppealStamps.usualDifficulty
  package var appealDelay = AppealStamps.usualDelay

  /// The longest time that a case should wait for its decision, in seconds.
  package var caseTarget: TimeInterval = 168 * 3_600
  /// Whether the settings say how mail is sent.
  package var sendsMail = false

  package var signOn: SignOnConfiguration?

  package init() {}
}

package struct AccountServices: Sendable {
  package let accounts: AccountStore
  /// Sessions, with the longest lifetime that is set.
  let sessions: SessionStore
  package let signIn: SignInService
  package let auditLog: AuditLog
  package let hasher: PasswordHasher
  /// Words and rows that new passwords must not consist of.
  let commonPasswords: CommonPasswords
  /// The key that encrypts the secrets of second factors and hashes recovery codes.
  package let key: AccountKey

  /// - Parameter attempts: counts failed sign-ins.
  package init(
    sessions: SessionStore, accounts: AccountStore, attempts: AttemptStore, auditLog: AuditLog, key: AccountKey,
    commonPasswords: CommonPasswords, hasher: PasswordHasher = PasswordHasher()
  ) {
    self.accounts = accounts
    self.sessions = sessions
    self.auditLog = auditLog
    self.hasher = hasher
    self.commonPasswords = commonPasswords
    self.key = key
    signIn = SignInService(sessions: sessions, accounts: accounts, attempts: attempts, hasher: hasher, key: key)
  }
}
