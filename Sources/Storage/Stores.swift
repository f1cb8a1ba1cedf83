// SPDX-License-Identifier: Apache-2.0

public import PostgreSQL

/// All stores of a database, created once at start and injected.
public struct Stores: Sendable {
  package let pool: PostgresPool
  let intakePool: PostgresPool

  /// - Parameters:
  ///   - pool: connections for everything but intake.
  ///   - intakePool: connections for intake only, so that lookups cannot delay it; nil shares `pool`.
  public init(pool: PostgresPool, intakePool: PostgresPool? = nil) {
    self.pool = pool
    self.intakePool = intakePool ?? pool
    reports = ReportStore(pool: self.intakePool)
    identifications = IdentificationStore(pool: self.intakePool)
    recount = RecountStore(pool: pool)
    explanations = ExplanationStore(pool: pool)
    lookups = HashLookupStore(pool: pool)
    callers = CallerStore(pool: pool)
    personalNumbers = PersonalNumberStore(pool: pool)
    thresholds = ThresholdStore(pool: pool)
    decisions = DecisionStore(pool: pool)
    holds = HoldStore(pool: pool)
    ranges = RangeStore(pool: pool)
    listedRanges = ListedRangeStore(pool: pool)
    statements = StatementStore(pool: pool)
    transparency = TransparencyStore(pool: pool)
    protection = ProtectionStore(pool: pool)
    ownerProofs = OwnerProofStore(pool: pool)
    numberData = NumberDataStore(pool: pool)
    erasures = ErasureStore(pool: pool)
    queue = QueueStore(pool: pool)
    cases = CaseStore(pool: pool)
    assignments = AssignmentStore(pool: pool)
    team = TeamStore(pool: pool)
    templates = TemplateStore(pool: pool)
    bulks = BulkStore(pool: pool)
    reviews = ReviewStore(pool: pool)
    appeals = AppealStore(pool: pool)
    directory = DirectoryStore(pool: pool)
    regions = RegionStore(pool: pool)
    numbering = NumberingPlanStore(pool: pool)
    publications = PublicationStore(pool: pool)
    changes = PublicationChangeStore(pool: pool)
    sources = SourceStore(pool: pool)
    outbox = OutboxStore(pool: pool)
    apps = AppStore(pool: pool)
    installations = InstallationStore(pool: pool)
    keyWithdrawals = KeyWithdrawalStore(pool: pool)
    accounts = AccountStore(pool: pool)
    attempts = AttemptStore(pool: pool)
    sessions = SessionStore(pool: pool)
    auditLog = AuditLog(pool: pool)
    jobs = JobStore(pool: pool)
    leases = LeaseStore(pool: pool)
    reporters = ReporterStore(pool: pool)
    search = SearchStore(pool: pool)
    statistics = StatisticsStore(pool: pool)
    firstSteps = FirstStepsStore(pool: pool)
    retention = RetentionStore(pool: pool)
    backup = BackupStore(pool: pool)
    operations = OperationStore(pool: pool)
    health = HealthStore(pool: pool)
  }

  /// Runs `body`, which gets connections before everything else that waits for one: for the pages of moderators, which
  /// lookups must not delay.
  /// - Parameter isUrgent: whether it does.
  package static func urgently<Result>(
    _ isUrgent: Bool = true, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await PostgresPool.$isUrgent.withValue(isUrgent) { try await body() }
  }

  /// Reports, on the intake's connections.
  public let reports: ReportStore
  /// Counts of identified calls, on the intake's connections.
  public let identifications: IdentificationStore
  /// Recounts of aggregates.
  public let recount: RecountStore
  /// Explanations of single numbers.
  public let explanations: ExplanationStore
  /// Lookups by hash.
  public let lookups: HashLookupStore
  /// Lookups of PhoneBlock's clients.
  public let callers: CallerStore
  /// Personal lists of users.
  public let personalNumbers: PersonalNumberStore
  /// Thresholds, by version.
  public let thresholds: ThresholdStore
  /// Decisions of moderators.
  public let decisions: DecisionStore
  /// Numbers held back for review.
  public let holds: HoldStore
  /// Rules for ranges of numbers.
  public let ranges: RangeStore
  /// The ranges of the newest publication.
  public let listedRanges: ListedRangeStore
  /// Statements of reasons.
  public let statements: StatementStore
  /// The transparency report.
  public let transparency: TransparencyStore
  /// Protected numbers.
  public let protection: ProtectionStore
  /// Codes that prove control of a number.
  public let ownerProofs: OwnerProofStore
  /// Everything that is stored about a number.
  public let numberData: NumberDataStore
  /// Export, erasure and restriction of reporters.
  public let erasures: ErasureStore
  /// The review queue.
  public let queue: QueueStore
  /// Cases with everything that a moderator sees.
  public let cases: CaseStore
  /// Common reasons and answers of the team.
  public let templates: TemplateStore
  /// Figures of the team.
  public let team: TeamStore
  /// Rules that assign cases to accounts.
  public let assignments: AssignmentStore
  /// Decisions about many numbers at once.
  public let bulks: BulkStore
  /// Second reviews of decisions.
  public let reviews: ReviewStore
  /// Appeals.
  public let appeals: AppealStore
  /// Directory entries.
  public let directory: DirectoryStore
  /// Regions.
  public let regions: RegionStore
  /// Numbering plans that replace the built-in ones.
  public let numbering: NumberingPlanStore
  /// Publications and their runs.
  public let publications: PublicationStore
  /// Reasons for the changes between publications.
  public let changes: PublicationChangeStore
  /// Sources that are downloaded at intervals.
  public let sources: SourceStore
  /// Events, as messages to webhooks and mail addresses.
  public let outbox: OutboxStore
  /// Apps and their keys.
  public let apps: AppStore
  /// Tokens of installed apps.
  public let installations: InstallationStore
  /// Withdrawals of all reports of a key.
  public let keyWithdrawals: KeyWithdrawalStore
  /// Accounts.
  public let accounts: AccountStore
  /// Failed sign-ins.
  public let attempts: AttemptStore
  /// Sessions and sign-in links.
  public let sessions: SessionStore
  /// The audit log.
  public let auditLog: AuditLog
  /// Background jobs.
  public let jobs: JobStore
  /// Leases of work that only one of several servers does.
  public let leases: LeaseStore
  /// Reporters and their weights.
  public let reporters: ReporterStore
  /// Search.
  public let search: SearchStore
  /// Daily statistics.
  public let statistics: StatisticsStore
  /// The way to the first list.
  public let firstSteps: FirstStepsStore
  /// Retention.
  public let retention: RetentionStore
  /// Backups.
  public let backup: BackupStore
  /// Figures for operators.
  public let operations: OperationStore
  /// Whether the database answers.
  public let health: HealthStore
}

/// The statements of the server. Each function returns one; it is in the folder of its domain, beside the type of its
/// rows.
package enum SQL {}
