import EmbeddedPostgreSQL
import Foundation
import Importing
import Logging
import PostgreSQL
import Publishing
import Storage

/// What every command that touches data works in: a folder, a migrated database, and the stores on it.
struct Workplace {
  let folder: DataFolder
  let installation: Installation
  let pool: PostgresPool
  /// Connections that nobody but the intake of reports has: look-ups cannot keep it waiting, however many come.
  private let intakePool: PostgresPool
  private let cluster: EmbeddedPostgres?

  var reports: ReportStore { ReportStore(pool: intakePool) }
  var identifications: IdentificationStore { IdentificationStore(pool: intakePool) }
  var webhooks: WebhookStore { WebhookStore(pool: pool) }
  var retention: RetentionStore { RetentionStore(pool: pool) }
  var apps: AppStore { AppStore(pool: pool) }
  var keyWithdrawals: KeyWithdrawalStore { KeyWithdrawalStore(pool: pool) }
  var numbers: NumberStore { NumberStore(pool: pool) }
  var explanations: ExplanationStore { ExplanationStore(pool: pool) }
  var lookups: LookupStore { LookupStore(pool: pool) }
  var rulings: RulingStore { RulingStore(pool: pool) }
  var protection: ProtectionStore { ProtectionStore(pool: pool) }
  var reporters: ReporterStore { ReporterStore(pool: pool) }
  var holds: HoldStore { HoldStore(pool: pool) }
  var queue: QueueStore { QueueStore(pool: pool) }
  var cases: CaseStore { CaseStore(pool: pool) }
  var bulks: BulkStore { BulkStore(pool: pool) }
  var ranges: RangeStore { RangeStore(pool: pool) }
  var appeals: AppealStore { AppealStore(pool: pool) }
  var moderators: ModeratorStore { ModeratorStore(pool: pool) }
  var operations: OperationStore { OperationStore(pool: pool) }
  var accounts: AccountStore { AccountStore(pool: pool) }
  var attempts: AttemptStore { AttemptStore(pool: pool) }
  var auditTrail: AuditTrail { AuditTrail(pool: pool) }
  var health: HealthStore { HealthStore(pool: pool) }
  var publications: PublicationStore { PublicationStore(pool: pool) }
  var publicationFolder: PublicationFolder { PublicationFolder(path: folder.publications) }

  /// Opens it for the time of `body`: DATABASE_URL, or the private PostgreSQL of the data folder, started when no
  /// server runs it.
  /// - Parameters:
  ///   - owns: a server owns its data folder, and there is one of it; other commands may join it.
  ///   - makes: whether a database is made where there is none. Only for what puts the first things into one: every
  ///     other command would find nothing in it, or change what nobody uses, as the folder's name is mistyped.
  ///   - migrates: whether the schema is brought forward first; false for those that look at it as it is.
  static func open<Result>(
    _ options: DatabaseOptions, owns: Bool, makes: Bool = false, migrates: Bool = true, logger: Logger,
    _ body: (Workplace) async throws -> Result
  ) async throws -> Result {
    let installation = try Installation.find()
    if !makes { try requireDatabase(in: options.data) }
    let folder = try DataFolder(options.data)
    let (dsn, cluster) = try await database(of: folder, owns: owns, logger: logger)
    var configuration = try PostgresConfiguration(pooled: dsn)
    configuration.applicationName = OperationStore.programName(
      knowing: try PostgresMigrator(folder: installation.migrations).newest())
    let pool = PostgresPool(
      configuration, maximumConnections: 16, waitLimit: .seconds(5), maximumWaiters: 512,
      logger: logger)
    // A writer each for reports and counts, and withdrawals.
    let intakePool = PostgresPool(
      configuration, maximumConnections: 4, waitLimit: .seconds(5), maximumWaiters: 512,
      logger: logger)
    let workplace = Workplace(
      folder: folder, installation: installation, pool: pool, intakePool: intakePool, cluster: cluster)
    let result: Swift.Result<Result, any Error>
    do {
      if migrates { try await workplace.migrate(logger: logger) }
      result = .success(try await body(workplace))
    } catch {
      result = .failure(error)
    }
    await pool.shutdown()
    await intakePool.shutdown()
    try await cluster?.stop()
    return try result.get()
  }

  /// - Throws: ``CommandFailure`` where no database is named by DATABASE_URL and none is in the data folder.
  static func requireDatabase(in data: String) throws {
    let path = URL(filePath: data).standardizedFileURL.path
    guard try SecretSetting.read("DATABASE_URL") == nil,
      !FileManager.default.fileExists(atPath: "\(path)/postgresql/data/PG_VERSION")
    else { return }
    throw CommandFailure.unreadable(
      "There is no database in \(path). Choose another folder with --data, or make one with ringfence serve.")
  }

  private static func database(
    of folder: DataFolder, owns: Bool, logger: Logger
  ) async throws -> (dsn: String, cluster: EmbeddedPostgres?) {
    if let url = try SecretSetting.read("DATABASE_URL") { return (url, nil) }
    if !owns, let dsn = EmbeddedPostgres.runningDSN(dataFolder: folder.path) { return (dsn, nil) }
    let step = Step("Starting PostgreSQL")
    let cluster = try await EmbeddedPostgres.start(
      EmbeddedPostgres.Options(dataFolder: folder.path), logger: logger, progress: { step.say($0) })
    step.finish()
    return (cluster.dsn, cluster)
  }
}
