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
        "planner", "off: \(Finding.names(server.disabledPlans))",
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
          "distributed tables", "missing: \(Finding.names(unplaced))",
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
    return [
      schemaVersion(states, pending),
      broken.map {
        .bad("servers", "an older Ringfence runs: \($0)", "Stop it: it cannot use this schema, and its answers fail.")
      }
        ?? older.map {
          .warning(
            "servers", "an older Ringfence runs: \($0)", "Replace it to finish the upgrade. It can use this schema.")
        } ?? .ok("servers", "no older version runs"),
    ] + (try await DataChecks(context: context).findings(now))
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

}
