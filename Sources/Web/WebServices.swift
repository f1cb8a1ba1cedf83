public import Foundation
public import Intake
public import Publishing
public import Storage
public import Telemetry

/// What the controllers work with; tests inject their own.
public struct WebServices: Sendable {
  /// Takes reports.
  public var intake: ReportIntake
  /// Takes counts of calls.
  public var identifications: IdentificationIntake
  /// Hides where requests come from.
  public var pseudonymizer: Pseudonymizer
  /// Who may send.
  public var apps: AppStore
  /// Told which keys are used.
  public var keyUses: KeyUses
  /// What moderators look at.
  public var numbers: NumberStore
  /// Why numbers are listed.
  public var explanations: ExplanationStore
  /// Finds listed numbers by their hashes.
  public var lookups: LookupStore
  /// What moderators decided.
  public var rulings: RulingStore
  /// What waits for moderators.
  public var queue: QueueStore
  /// What moderators are shown of a number.
  public var cases: CaseStore
  /// Rulings that are made together.
  public var bulks: BulkStore
  /// Who may moderate.
  public var moderators: ModeratorStore
  /// Their accounts, and who changed what.
  public var people: AccountServices
  /// Whether the database answers.
  public var health: HealthStore
  /// What an operator watches in the database.
  public var operations: OperationStore
  /// Where everything is measured.
  public var metrics: MetricsRegistry
  /// What has been published.
  public var publications: PublicationFolder
  /// What became of each attempt to publish.
  public var publicationStore: PublicationStore
  /// When the next publication is due, seen from a time; nil where this server does not publish by itself.
  public var nextPublication: @Sendable (Date) -> Date?
  /// What the pages beside the queue work with.
  public var beside: BesideServices
  /// Turned red by whoever stops the server.
  public var readiness: Readiness
  /// What limits tell the time by.
  public var clock: LimitClock

  /// - Parameters: see the properties.
  public init(
    intake: ReportIntake, identifications: IdentificationIntake, pseudonymizer: Pseudonymizer, apps: AppStore,
    keyUses: KeyUses = KeyUses(), numbers: NumberStore, explanations: ExplanationStore, lookups: LookupStore,
    rulings: RulingStore, queue: QueueStore, cases: CaseStore, bulks: BulkStore, moderators: ModeratorStore,
    people: AccountServices, health: HealthStore, operations: OperationStore,
    metrics: MetricsRegistry = MetricsRegistry(), publications: PublicationFolder,
    publicationStore: PublicationStore, nextPublication: @escaping @Sendable (Date) -> Date? = { _ in nil },
    beside: BesideServices, readiness: Readiness = Readiness(), clock: LimitClock = .system
  ) {
    self.intake = intake
    self.identifications = identifications
    self.pseudonymizer = pseudonymizer
    self.apps = apps
    self.keyUses = keyUses
    self.numbers = numbers
    self.explanations = explanations
    self.lookups = lookups
    self.rulings = rulings
    self.queue = queue
    self.cases = cases
    self.bulks = bulks
    self.moderators = moderators
    self.people = people
    self.health = health
    self.operations = operations
    self.metrics = metrics
    self.publications = publications
    self.publicationStore = publicationStore
    self.nextPublication = nextPublication
    self.beside = beside
    self.readiness = readiness
    self.clock = clock
  }
}
