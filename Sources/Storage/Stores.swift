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
    reportOutcomes = ReportOutcomeStore(pool: pool)
    remediationIntake = RemediationStore(pool: self.intakePool)
    remediations = RemediationStore(pool: pool)
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
    clientFetches = ClientFetchStore(pool: pool)
    statistics = StatisticsStore(pool: pool)
    firstSteps = FirstStepsStore(pool: pool)
    retention = RetentionStore(pool: pool)
    backup = BackupStore(pool: pool)
    operations = OperationStore(pool: pool)
    health = HealthStore(pool: pool)
  }

  /// Makes the indexes of words that directories do not have yet, unless another process does so.
  /// - Returns: whether all have one.
  public func indexDirectoryWords() async throws -> Bool {
    if try await directory.areWordsIndexed() { return true }
    _ = try await leases.withLease(of: "directory words") { try await directory.indexWords() }
    return try await directory.areWordsIndexed()
  }

  /// Ends connections on which the database will not answer; see `PostgresPool.endSilentConnections(after:)`.
  public func endSilentConnections(after limit: Duration) async throws {
    try await pool.endSilentConnections(after: limit)
    if intakePool !== pool { try await intakePool.endSilentConnections(after: limit) }
  }

  /// Runs `body`, which gets connections before everything else that waits for one: for the pages of moderators, which
  /// lookups must not delay.
  /// - Parameter isUrgent: whether it does.
  package static func urgently<Result>(
    _ isUrgent: Bool = true, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await PostgresPool.$isUrgent.withValue(isUrgent) { try await body() }
  }

  /// On the intake's connections.
  public let reports: ReportStore
  /// On the intake's connections.
  public let identifications: IdentificationStore
  public let reportOutcomes: ReportOutcomeStore
  /// On the intake's connections.
  public let remediationIntake: RemediationStore
  public let remediations: RemediationStore
  public let recount: RecountStore
  public let explanations: ExplanationStore
  public let lookups: HashLookupStore
  public let callers: CallerStore
  public let personalNumbers: PersonalNumberStore
  public let thresholds: ThresholdStore
  public let decisions: DecisionStore
  public let holds: HoldStore
  public let ranges: RangeStore
  public let listedRanges: ListedRangeStore
  public let statements: StatementStore
  public let transparency: TransparencyStore
  public let protection: ProtectionStore
  public let ownerProofs: OwnerProofStore
  public let numberData: NumberDataStore
  public let erasures: ErasureStore
  public let queue: QueueStore
  public let cases: CaseStore
  public let templates: TemplateStore
  public let team: TeamStore
  public let assignments: AssignmentStore
  public let bulks: BulkStore
  public let reviews: ReviewStore
  public let appeals: AppealStore
  public let directory: DirectoryStore
  public let regions: RegionStore
  public let numbering: NumberingPlanStore
  public let publications: PublicationStore
  public let changes: PublicationChangeStore
  public let sources: SourceStore
  public let outbox: OutboxStore
  public let apps: AppStore
  public let installations: InstallationStore
  public let keyWithdrawals: KeyWithdrawalStore
  public let accounts: AccountStore
  public let attempts: AttemptStore
  public let sessions: SessionStore
  public let auditLog: AuditLog
  public let jobs: JobStore
  public let leases: LeaseStore
  public let reporters: ReporterStore
  public let search: SearchStore
  public let clientFetches: ClientFetchStore
  public let statistics: StatisticsStore
  public let firstSteps: FirstStepsStore
  public let retention: RetentionStore
  public let backup: BackupStore
  public let operations: OperationStore
  public let health: HealthStore
}

/// The statements of the server. Each function returns one; it is in the folder of its domain, beside the type of its
/// rows.
package enum SQL {}

/// A connection, or a pool that chooses one.
protocol StatementRunner: Sendable {
  /// - Throws: `PostgresError`.
  func run<Row>(_ statement: Statement<Row>) async throws -> [Row]
}

extension PostgresConnection: StatementRunner {}
extension PostgresPool: StatementRunner {}

extension StatementRunner {
  /// Runs a statement with one use: its text is in the function that runs it.
  func run<Row: Sendable, each Value: PostgresBindable>(
    _ sql: String, _ values: repeat each Value, file: StaticString = #fileID, function: StaticString = #function,
    decode: @escaping @Sendable (PostgresRow) throws -> Row
  ) async throws -> [Row] {
    try await run(Statement(sql, repeat each values, file: file, function: function, decode: decode))
  }

  func run<each Value: PostgresBindable>(
    _ sql: String, _ values: repeat each Value, file: StaticString = #fileID, function: StaticString = #function
  ) async throws {
    _ = try await run(Statement(sql, repeat each values, file: file, function: function))
  }
}
