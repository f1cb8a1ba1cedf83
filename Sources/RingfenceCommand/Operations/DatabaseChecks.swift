// SPDX-License-Identifier: Apache-2.0

import Accounts
import CallerPack
import Curation
import Foundation
import Importing
import PostgreSQL
import Publishing
import Storage
import Support

struct DatabaseChecks {
  let context: CommandContext

  func findings() async throws -> [Finding] {
    if let refusal = try await context.databaseRefusal() {
      return [.bad("PostgreSQL", refusal.found, refusal.advice)]
    }
    guard let server = try await context.stores.operations.serverState() else { return [] }
    let now = Date()
    return [version(server), encoding(server), clock(server, now), role(server)] + settings(server)
      + [connections(server), slots(server)] + (try await cluster()) + (try await ArchiveChecks.findings(context))
      + [await .numberingPlans(context, at: now)] + (try await schema(now))
  }

  private func version(_ server: ServerState) -> Finding {
    .ok("PostgreSQL", "\(server.version / 10_000).\(server.version % 10_000)")
  }

  /// A system upgrade may change how texts are sorted. Keys of Ringfence are sorted by their bytes, but an index that
  /// somebody added, or one of a schema before 0.2.0, then misses rows.
  private func encoding(_ server: ServerState) -> Finding {
    guard let collations = server.collations else { return .ok("encoding", server.encoding) }
    return .warning(
      "encoding",
      "\(server.encoding), sorted by version \(collations.stored) of the collation; this system has \(collations.present)",
      "Run ringfence migrate. Then, in psql as the owner of the database: REINDEX DATABASE; "
        + "SELECT format('ALTER DATABASE %I REFRESH COLLATION VERSION', current_database()) \\gexec")
  }

  private func clock(_ server: ServerState, _ now: Date) -> Finding {
    let difference = abs(server.time.timeIntervalSince(now))
    let found = String(format: "%.1f s from this machine's", difference)
    // Leases and heartbeats use the database's clock. Sign-in codes, reports and publications use this machine's clock.
    if difference > 20 {
      return .bad(
        "clock", found, "Synchronize both machines with NTP. Sign-in codes, schedules and expiry depend on the time.")
    }
    return difference > 2
      ? .warning("clock", found, "Synchronize both machines with NTP.") : .ok("clock", found)
  }

  private func role(_ server: ServerState) -> Finding {
    if server.isStandby {
      return .bad(
        "privileges", "this server is a read-only standby",
        "List all hosts in DATABASE_URL, with target_session_attrs=read-write.")
    }
    guard server.mayCreate else {
      return .bad(
        "privileges", "the role cannot create tables",
        "Run GRANT CREATE ON SCHEMA public TO the role. Each month of reports is a table.")
    }
    guard server.foreignTables == 0 else {
      return .bad(
        "privileges", "\(TextFormat.count(server.foreignTables, "table belongs", "tables belong")) to another role",
        "Run REASSIGN OWNED BY that role TO this one. Migrations change tables.")
    }
    return server.isPrivate
      ? .ok("privileges", "the role owns its tables")
      : .warning("privileges", "the connection is not encrypted", "Add sslmode=verify-full to DATABASE_URL.")
  }

  private func settings(_ server: ServerState) -> [Finding] {
    func value(_ name: String) -> String { server.settings[name] ?? "" }
    var findings: [Finding] = []
    for name in ["fsync", "full_page_writes"] {
      findings.append(
        value(name) == "on"
          ? .ok(name, "on")
          : .bad(name, value(name), "Set it to on. Otherwise a power failure can damage the database."))
    }
    let commit = value("synchronous_commit")
    findings.append(
      ["off", "local"].contains(commit) && (commit == "off" || !value("synchronous_standby_names").isEmpty)
        ? .bad(
          "synchronous_commit", commit,
          "Set it to on. Otherwise acknowledged reports are not yet on disk\(commit == "local" ? " of the standbys" : "")."
        )
        : .ok("synchronous_commit", commit))
    findings.append(
      value("data_checksums") == "on"
        ? .ok("data_checksums", "on")
        : .warning(
          "data_checksums", "off", "Stop PostgreSQL and run pg_checksums --enable, so that damage is detected."))
    findings.append(.ok("wal_level", value("wal_level")))
    return findings + ServerSetting.all.compactMap { $0.finding(server, isShared: isPooled) } + plans(server)
  }

  /// Whether sessions are a pooler's, which knows no setting of ours.
  private var isPooled: Bool { !context.pool.configuration.usesPreparedStatements }

  private func plans(_ server: ServerState) -> [Finding] {
    guard !server.disabledPlans.isEmpty else { return [] }
    return [
      .warning(
        "planner", "off: \(Self.names(server.disabledPlans))",
        "Reset them: PostgreSQL cannot use the plans that statements of Ringfence are made for.")
    ]
  }

  private func connections(_ server: ServerState) -> Finding {
    let limit = server.connectionLimit
    let found = "\(server.connections) of \(limit) in use"
    return server.connections + 20 > limit
      ? .warning(
        "connections", found,
        "Each server uses 20 connections. Raise max_connections or the limit of the role or the database, or use PgBouncer."
      )
      : .ok("connections", found)
  }

  private func slots(_ server: ServerState) -> Finding {
    server.idleSlots.isEmpty
      ? .ok("replication slots", "no idle slots")
      : .bad(
        "replication slots", "unused: \(server.idleSlots.joined(separator: ", "))",
        "Start its standby, or run SELECT pg_drop_replication_slot('NAME'). Unused slots fill the disk with logs.")
  }

  /// The nodes of a Citus cluster; none without it.
  private func cluster() async throws -> [Finding] {
    guard let (nodes, unplaced) = try await context.stores.operations.cluster() else { return [] }
    let versions = Set(nodes.compactMap(\.version))
    var findings = nodes.map { node in
      let name = "node \(node.address.host):\(node.address.port)"
      guard let version = node.version else {
        return Finding.bad(
          name, "does not answer this machine",
          "Start it. If it runs, let this machine connect to it: until then reports about its numbers are refused.")
      }
      let found = "Citus \(version), \(TextFormat.count(node.shards, "shard"))\(node.isActive ? "" : ", not active")"
      if versions.count > 1 || !node.isActive {
        return .bad(
          name, found, "Install the same packages everywhere. Run ALTER EXTENSION citus UPDATE and citus_activate_node."
        )
      }
      return node.shards == 0
        ? .warning(name, found, "Run SELECT citus_rebalance_start() on the coordinator.") : .ok(name, found)
    }
    if !unplaced.isEmpty {
      findings.append(
        .bad(
          "distributed tables", "missing: \(Self.names(unplaced))",
          "Run ringfence cluster plan --survey, then psql with its output."))
    }
    return findings
  }

  /// Checks that need a schema of this program's version.
  private func schema(_ now: Date) async throws -> [Finding] {
    let migrator = PostgresMigrator(folder: context.installation.migrations)
    let states = try await context.pool.withConnection { try await migrator.status(on: $0) }
    let pending = states.filter { $0.state == .pending }
    let expanding = pending.count { $0.kind == .expand }
    if let strange = states.first(where: { ![.applied, .pending, .newer].contains($0.state) }) {
      return [
        .bad(
          "schema", "migration \(strange.version) \(strange.name) is \(strange.state)",
          "Another version of Ringfence made this database. Use that version, or restore a backup.")
      ]
    }
    let operations = context.stores.operations
    let older = OlderProgram.text(try await operations.olderPrograms(than: try migrator.newest()))
    // A database whose first migration is pending has no tables.
    guard expanding == 0, states.contains(where: { $0.state == .applied }) else {
      return [
        .warning(
          "schema",
          "\(TextFormat.count(pending.count, "migration is", "migrations are")) pending"
            + (older.map { ", and an older Ringfence runs: \($0)" } ?? ""),
          "Make a backup, then run ringfence migrate, or start a server of this version.")
      ]
    }
    let contract = states.last { $0.kind == .contract && $0.appliedAt != nil }?.version ?? 0
    let broken = OlderProgram.text(try await operations.olderPrograms(than: contract))
    let figures = try await context.stores.operations.figures()
    let protected = try await context.stores.operations.protectedCount()
    return [
      schemaVersion(states, pending),
      broken.map {
        .bad("servers", "an older Ringfence runs: \($0)", "Stop it: it cannot use this schema, and its answers fail.")
      }
        ?? older.map {
          .warning(
            "servers", "an older Ringfence runs: \($0)", "Replace it to finish the upgrade. It can use this schema.")
        } ?? .ok("servers", "no older version runs"),
      .ok("months of reports", "\(figures.partitions); the next one is created with its first report"),
      retention(try await context.stores.retention.state()), try await deletions(now),
      protected == 0
        ? .warning(
          "protected numbers", "none",
          "Protect numbers that must never be published. Public service numbers: ringfence protect \(try await catalog())"
        )
        : .ok("protected numbers", TextFormat.count(protected, "pattern or number", "patterns and numbers")),
      publication(figures, now), lastRun(figures), revocations(figures, now), gates(figures), queue(figures, now),
      outbox(figures, now), try await sources(),
      try await accountKey(), try await storedTimes(now),
    ] + (try await rejectedRows()) + (try await ownerCodes(now)) + (try await attestation())
  }

  /// The end of the command that protects public service numbers: of the country of most reports, where the catalog has it.
  private func catalog() async throws -> String {
    let catalog = try ProtectionCatalog.read(resources: context.installation.resources)
    guard let country = try await context.stores.operations.commonCountry(), catalog.countries[country] != nil else {
      return "catalog"
    }
    return "add --catalog \(country)"
  }

  private func schemaVersion(_ states: [PostgresMigration], _ pending: [PostgresMigration]) -> Finding {
    let version = states.last { $0.appliedAt != nil }?.version ?? 0
    if states.contains(where: { $0.state == .newer }) {
      return .ok("schema", "version \(version), newer than this program, which can use it")
    }
    guard !pending.isEmpty else { return .ok("schema", "version \(version)") }
    let names = pending.map(\.fileName).joined(separator: ", ")
    return .warning(
      "schema", "version \(version); contract migrations are pending: \(names)",
      "When no older program will run again, run ringfence migrate --contract.")
  }

  private func retention(_ state: ReportRetention?) -> Finding {
    guard let state else { return .ok("dropped reports", "none") }
    let before = Timestamp.format(state.droppedBefore)
    guard state.isTooYoung else { return .ok("dropped reports", "before \(before)") }
    return .bad(
      "dropped reports",
      state.droppedBefore > state.time
        ? "before \(before), which is in the future: all reports are refused until then"
        : "before \(before), less than \(RetentionStore.minMonths) months ago: older reports are refused",
      "A clock was ahead when they were deleted. Correct the clock. Restore deleted reports from a backup.")
  }

  /// Stored times that only a clock that was ahead can have set.
  private func storedTimes(_ now: Date) async throws -> Finding {
    let wrong = try await context.stores.operations.wrongTimes(at: now)
    guard !wrong.isEmpty else { return .ok("stored times", "none is in the future") }
    let names = wrong.map { "\($0.time.rawValue) (\(TextFormat.count($0.rows, "row")))" }.joined(separator: ", ")
    return .warning(
      "stored times", "in the future: \(names)",
      "A clock was ahead. Work does not wait for these times. Compare `date -u` with another clock.")
  }

  /// Whether the jobs delete data after its time.
  private func deletions(_ now: Date) async throws -> Finding {
    let overdue = try await context.stores.retention.overdue(
      commentDays: try context.folder.settings.commentDays, at: now)
    guard !overdue.isEmpty else { return .ok("retention", "no data is past its time") }
    return .bad(
      "retention", "past their time: \(overdue.map(\.rawValue).joined(separator: ", "))",
      "A server deletes them each hour. Run one, and read its log for: Cannot delete old data")
  }

  private func publication(_ figures: OperationalStatistics, _ now: Date) -> Finding {
    guard let newest = figures.newest else {
      return .warning("publication", "none yet", "Run ringfence publish, or serve with --publish-at 03:00.")
    }
    let hours = now.timeIntervalSince(newest.publishedAt) / 3_600
    let found = String(format: "%lld, %.0f hours old", newest.serial, hours)
    if hours < -0.1 {
      return .bad(
        "publication", String(format: "%lld, made %.1f hours in the future", newest.serial, -hours),
        "A clock was or is wrong. Compare `date -u` with another clock. Clients may reject the next publication."
      )
    }
    guard let shown = try? context.publicationFolder.head() else {
      return .bad(
        "publication", "\(found), but the folder \(context.folder.publications) does not show it",
        "Servers that publish must share one folder. Mount it there, or restore it from a backup.")
    }
    if shown.head.expires <= now {
      return .bad("publication", "\(found), expired: clients reject it", "Run ringfence publish.")
    }
    return hours > 36
      ? .warning("publication", found, "Run ringfence publish, and read the server's log for why the schedule did not.")
      : .ok("publication", found)
  }

  private func sources() async throws -> Finding {
    let feeds = try await context.stores.sources.list()
    let failing = feeds.filter { $0.failures > 0 }
    let suspended = feeds.filter(\.isSuspended)
    if failing.isEmpty, !suspended.isEmpty {
      return .warning(
        "sources", "suspended, because moderators allow most of their numbers: \(Self.names(suspended.map(\.name)))",
        "Remove them, or end the suspension with: ringfence sources resume NAME")
    }
    guard !failing.isEmpty else { return .ok("sources", feeds.isEmpty ? "none" : "\(feeds.count) are downloaded") }
    let names = failing.map { "\($0.name) (\(TextFormat.count($0.failures, "attempt")))" }
    let others = suspended.isEmpty ? "" : "; suspended: \(Self.names(suspended.map(\.name)))"
    return .warning(
      "sources", "\(failing.count) of \(feeds.count) cannot be read: \(Self.names(names))\(others)",
      "Read the reasons with: ringfence sources status. The former entries stay.")
  }

  private func rejectedRows() async throws -> [Finding] {
    let names = try await context.stores.sources.list().filter(\.state.rejected.exceedsThird).map(\.name)
    guard !names.isEmpty else { return [] }
    return [
      .warning(
        "rejected rows", "more than a third of the rows is rejected: \(Self.names(names))",
        "Read the reasons and examples with: ringfence sources status. Check the format and its options.")
    ]
  }

  /// The first names, with a comma between them, and the number of the others.
  private static func names(_ all: [String]) -> String {
    all.prefix(5).joined(separator: ", ") + (all.count > 5 ? ", \(all.count - 5) more" : "")
  }

  private func accountKey() async throws -> Finding {
    guard let kept = try await context.stores.accounts.keyFingerprint() else {
      return .ok("account key", "not used yet")
    }
    guard let key = try context.folder.presentAccountKey() else {
      return .warning(
        "account key", "missing, but second factors need it: a server does not start without it",
        "Restore account.key from a backup, unless the server has it in RINGFENCE_ACCOUNT_KEY.")
    }
    return key.fingerprint == kept
      ? .ok("account key", "matches the second factors")
      : .bad(
        "account key", "does not match the second factors: a server does not start with it",
        "Set the matching key: RINGFENCE_ACCOUNT_KEY, or account.key of another server or a backup.")
  }

  private func lastRun(_ figures: OperationalStatistics) -> Finding {
    figures.hasFailedRun
      ? .bad(
        "last attempt to publish", "failed",
        "Read the reason on /moderation/publications. The server tries again within 10 minutes; or run ringfence publish."
      )
      : .ok("last attempt to publish", figures.newest == nil ? "none yet" : "ended as it should")
  }

  private func revocations(_ figures: OperationalStatistics, _ now: Date) -> Finding {
    let waiting = figures.revocations
    guard let oldest = waiting.oldest else { return .ok("revocations", "none is open") }
    let found = "\(waiting.count) open, the oldest since \(Timestamp.format(oldest))"
    return now.timeIntervalSince(oldest) > 600
      ? .bad("revocations", found, "These numbers should leave the list at once. Run a server, or ringfence publish.")
      : .ok("revocations", found)
  }

  private func gates(_ figures: OperationalStatistics) -> Finding {
    figures.failedGates == 0
      ? .ok("gates", "the last attempt passed")
      : .warning(
        "gates", "\(figures.failedGates) stopped the last attempt",
        "Read the findings on /moderation/publications. To overrule: ringfence publish --overrule GATE --reason WHY --by NAME"
      )
  }

  private func queue(_ figures: OperationalStatistics, _ now: Date) -> Finding {
    let queue = figures.reviewQueue
    let days = queue.oldest.map { now.timeIntervalSince($0) / 86_400 } ?? 0
    let found = "\(TextFormat.count(queue.count, "case")), the oldest of \(String(format: "%.1f", days)) days"
    return days > 7
      ? .warning("review queue", found, "Review the oldest cases on /moderation/queue.") : .ok("review queue", found)
  }

  /// The codes of today for a gateway that costs money.
  private func ownerCodes(_ now: Date) async throws -> [Finding] {
    let settings = context.folder.settings
    guard try settings.ownerCodes?.isEmpty == false else { return [] }
    let (limit, sent) = (try settings.ownerCodesPerDay, try await context.stores.ownerProofs.sentCodes(at: now))
    let found = "\(sent) sent today" + (limit > 0 ? " of at most \(limit)" : "")
    return limit > 0 && sent >= limit
      ? [
        .warning(
          "owner codes", found,
          "Until midnight UTC the page refuses more, and ringfence rights code makes them. Raise owner-codes-per-day if "
            + "owners need more.")
      ] : [.ok("owner codes", found)]
  }

  /// Whether the weight of reports without attestation fits the phones that report, and Android's keys can be checked.
  private func attestation() async throws -> [Finding] {
    let stores = context.stores
    let (origins, set) = (try await stores.apps.origins(), try await stores.thresholds.current())
    let names = Dictionary(try await stores.apps.keys().map { ($0.appID, $0.appName) }) { name, _ in name }
    let weights = names.sorted { $0.key < $1.key }.compactMap { app, name -> Finding? in
      guard let origin = origins[app], let isAttested = origin.isAttested else { return nil }
      let weight = set.rule(ofApp: app).unattested
      guard (weight > 0) == isAttested else { return nil }
      let found = "\(origin.attested) of \(origin.reporters) reporters of \"\(name)\" attest"
      return isAttested
        ? .warning(
          "attestation", "\(found), and reports without attestation weigh \(weight)",
          "Set the weight without attestation to 0 on the page Apps, so that accounts without a phone label no number.")
        : .warning(
          "attestation", "\(found), and reports without attestation have the weight 0: the others are ignored",
          "Raise the weight without attestation on the page Apps until the old versions of the app are gone.")
    }
    return weights + (try await revokedKeys(of: names.keys))
  }

  /// A missing list of revoked keys, where one of the apps has builds for Android that may attest.
  private func revokedKeys(of apps: some Sequence<Int32>) async throws -> [Finding] {
    guard try context.folder.settings.attestationFiles == nil else { return [] }
    for app in apps {
      guard try await context.stores.installations.policy(of: app)?.androidPackages.isEmpty == false else { continue }
      return [
        .warning(
          "attested phones", "attestation-files is not set, so phones with Android get the level software",
          "Set it, and download Google's list of revoked keys, as Documentation/attestation.md says.")
      ]
    }
    return []
  }

  private func outbox(_ figures: OperationalStatistics, _ now: Date) -> Finding {
    let hours = figures.outbox.oldest.map { now.timeIntervalSince($0) / 3_600 } ?? 0
    let found = TextFormat.count(figures.outbox.count, "message waits", "messages wait")
    return hours > 1
      ? .warning("events", found, "A receiver does not answer. See why with: ringfence notify")
      : .ok("events", found)
  }
}
