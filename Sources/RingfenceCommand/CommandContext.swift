// SPDX-License-Identifier: Apache-2.0

import Curation
package import PostgreSQL
import Foundation

package import Logging
package import Moderation
import Publishing
package import Storage

/// The context of commands that use data: a data folder, a migrated database, and its stores.
package struct CommandContext {
  package let folder: DataFolder
  package let installation: Installation
  package let pool: PostgresPool
  package let stores: Stores
  package let moderation: ModerationServices
  private let cluster: EmbeddedPostgres?

  var publicationFolder: PublicationFolder { PublicationFolder(path: folder.publications) }

  /// Opens the database for the time of `body`: DATABASE_URL, or the private PostgreSQL of the data folder, which is
  /// started if no server runs it.
  /// - Parameters:
  ///   - audit: the author of the command's changes; nil where they name none.
  ///   - owns: whether the command is the one server that owns the data folder; other commands may join it.
  ///   - makes: whether to create a missing database. Only for commands that store first data: a mistyped folder name
  ///     would otherwise create an unused database.
  ///   - migrates: whether to migrate the schema first; false for commands that inspect it.
  ///   - archiving: the archive of the private PostgreSQL.
  package static func open<Result>(
    _ settings: Settings, as audit: AuditOption? = nil, owns: Bool = false, makes: Bool = false, migrates: Bool = true,
    archiving: EmbeddedPostgres.Archiving = .asBefore, logger: Logger = .quiet,
    _ body: (CommandContext) async throws -> Result
  ) async throws -> Result {
    let installation = try Installation.find(settings)
    if !makes { try requireDatabase(settings) }
    let usesPreparedStatements = try settings.databasePooler == .none
    let reviews = ReviewPolicy(
      share: try settings.reviewPercent, maxReporters: try settings.reviewReporters)
    let folder = try DataFolder(settings)
    let (dsn, cluster, joined) = try await database(of: folder, owns: owns, archiving: archiving, logger: logger)
    defer { joined?.end() }
    var configuration = PostgresConfiguration(dsn)
    configuration.usesPreparedStatements = usesPreparedStatements
    configuration.applicationName = OperationStore.programName(
      knowing: try PostgresMigrator(folder: installation.migrations).newest())
    let pool = PostgresPool(
      configuration, maximumConnections: 15, waitLimit: .seconds(5), maximumWaiters: 512,
      logger: logger)
    // Two connections for writing reports, one each for the two kinds of counts, the others for withdrawals.
    let intakePool = PostgresPool(
      configuration, maximumConnections: 5, waitLimit: .seconds(5), maximumWaiters: 512,
      logger: logger)
    let stores = Stores(pool: pool, intakePool: intakePool)
    let context = CommandContext(
      folder: folder, installation: installation, pool: pool, stores: stores,
      moderation: ModerationServices(stores: stores, reviews: reviews), cluster: cluster)
    let result: Swift.Result<Result, any Error>
    do {
      if migrates {
        try await context.migrate(logger: logger)
        try await stores.numbering.use()
      }
      let author = try await audit?.author(in: stores.accounts) ?? CommandAuthor.current
      result = .success(try await CommandAuthor.$current.withValue(author) { try await body(context) })
    } catch {
      result = .failure(error)
    }
    await pool.shutdown()
    await intakePool.shutdown()
    if owns {
      try await cluster?.stop()
    } else {
      let step = StatusLine("Waiting for another command that uses this PostgreSQL")
      defer { step.finish() }
      try await cluster?.stopAfterOthers()
    }
    return try result.get()
  }

  /// - Throws: ``CommandFailure`` if DATABASE_URL is not set and the data folder has no database, or cannot be entered.
  static func requireDatabase(_ settings: Settings) throws {
    let path = URL(filePath: try settings.data).standardizedFileURL.path
    guard try settings.databaseURL == nil, access("\(path)/postgresql/data/PG_VERSION", F_OK) != 0 else { return }
    guard errno != EACCES else {
      let owner = (try? FileManager.default.attributesOfItem(atPath: path)[.ownerAccountName]) as? String
      throw CommandFailure.unreadable(
        "Cannot enter the data folder \(path): permission denied. Run the command as its owner\(owner.map { ", \($0)" } ?? "")."
      )
    }
    throw CommandFailure.unreadable(
      "There is no database in \(path). Pass another folder with --data, or create a database with: ringfence serve")
  }

  private static func database(
    of folder: DataFolder, owns: Bool, archiving: EmbeddedPostgres.Archiving, logger: Logger
  ) async throws -> (dsn: String, cluster: EmbeddedPostgres?, joined: EmbeddedPostgres.Joined?) {
    if let url = try folder.settings.databaseURL { return (url, nil, nil) }
    let deadline = ContinuousClock.now + (owns ? longestCommand : longestOtherStart)
    var isTold = false
    while true {
      if !owns, let joined = EmbeddedPostgres.Joined(dataFolder: folder.path) { return (joined.dsn, nil, joined) }
      let step = StatusLine("Starting PostgreSQL")
      defer { step.finish() }
      do {
        let cluster = try await EmbeddedPostgres.start(
          EmbeddedPostgres.Options(dataFolder: folder.path, programs: try folder.settings.pgBin, archiving: archiving),
          logger: logger,
          progress: { step.say($0) })
        return (cluster.dsn, cluster, nil)
      } catch EmbeddedPostgresError.folderInUse(let path, let pid)
        where ContinuousClock.now < deadline && !(owns && isServer(pid))
      {
        // Another command is starting or stopping it, or uses it while no server runs.
        if owns, !isTold {
          isTold = true
          logger.notice(
            "Waiting for the command that uses the data folder",
            metadata: ["folder": "\(path)", "pid": "\(pid.map(String.init) ?? "unknown")"])
        }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  /// Whether a process is a server: a second server does not wait for it.
  private static func isServer(_ pid: Int32?) -> Bool {
    guard let pid, let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") else { return false }
    return line.split(separator: 0).dropFirst().first.map { $0.elementsEqual("serve".utf8) } ?? false
  }

  /// The time for which a server waits for a command that uses its folder.
  private static let longestCommand = Duration.seconds(30)
  /// The longest time in which another command starts or stops PostgreSQL.
  private static let longestOtherStart = Duration.seconds(60)
}
