// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL
import RingfenceCommand

/// Measures the server, then PostgreSQL by itself, each after a CHECKPOINT.
struct IntakeBenchmark {
  let plan: LoadPlan
  /// The process whose memory is measured.
  let serverPID: Int32?
  /// Whether COPY is measured too.
  let copies: Bool
  let allowsUnsafe: Bool
  /// Nil to leave PostgreSQL alone.
  let peers: PeerDatabase?

  /// - Throws: ``CommandFailure`` when commits are not durable, no server answers, or it accepts nothing.
  func run() async throws -> IntakeBenchmarkReport {
    guard let peers else { return try await measureServer() }
    let connection = try await PostgresConnection.connect(PostgresConfiguration(peers.dsn), logger: .quiet)
    let maintenance = try await PostgresConnection.connect(
      PostgresConfiguration(peers.maintenanceDSN), logger: .quiet)
    let store = BenchmarkStore(connection: connection)
    let result: Result<IntakeBenchmarkReport, any Error>
    do {
      result = .success(try await run(store, peers: peers, maintenance: maintenance))
    } catch {
      result = .failure(error)
    }
    // Removed after a failure as well; what remains of an interrupted run, the next one removes.
    try? await store.drop()
    await connection.close()
    await maintenance.close()
    return try result.get()
  }

  private func run(
    _ store: BenchmarkStore, peers: PeerDatabase, maintenance: PostgresConnection
  ) async throws -> IntakeBenchmarkReport {
    let settings = try await store.settings()
    try check(settings)
    let started = Date()
    try await store.prepare(migrations: try Installation.find(Settings()).migrations, at: started)
    let pgbench = try await Pgbench(dsn: peers.dsn, schema: BenchmarkStore.schema)
    try await pgbench.runOnce(PgbenchScripts.schemaCheck)

    let isFlushed = try await BenchmarkStore.checkpoint(on: maintenance)
    var report = try await measureServer()
    report.postgres = settings
    report.checkpoints = isFlushed
    let scripts = [
      ("(a) pgbench, the statement of one report", PgbenchScripts.oneReport),
      ("(b) pgbench, a bare single-row insert", PgbenchScripts.bareInsert),
    ]
    for (name, script) in scripts {
      _ = try await BenchmarkStore.checkpoint(on: maintenance)
      say("\(name), \(plan.seconds) s")
      let result = try await pgbench.run(script, clients: plan.connections, seconds: plan.seconds)
      report.peers.append(BenchmarkPeer(name: name, result: result))
    }
    let rows = try await store.rowCounts()
    guard report.peers.map(\.transactions) == [rows.reports, rows.bare] else {
      throw CommandFailure.failed(
        "pgbench reports \(report.peers.map(\.transactions)) transactions, the tables hold \(rows) rows.")
    }
    if copies {
      _ = try await BenchmarkStore.checkpoint(on: maintenance)
      report.peers.append(try await measureCopy(store, rows: max(1, report.server.accepted), at: started))
    }
    report.loadAfter = LoadAverage.now
    return report
  }

  private func measureServer() async throws -> IntakeBenchmarkReport {
    let load = LoadAverage.now
    let before = serverPID.flatMap(ProcessMemory.init)
    say("ringfence, \(plan.connections) connections, \(plan.seconds) s")
    let result = try await LoadDriver.run(plan)
    guard result.accepted > 0 else {
      throw CommandFailure.failed(
        "The server accepted nothing. Its answers: \(IntakeBenchmarkReport.statuses(result.statuses)).")
    }
    return IntakeBenchmarkReport(
      plan: plan, server: BenchmarkServer(result), memoryBefore: before,
      memoryAfter: serverPID.flatMap(ProcessMemory.init),
      loadBefore: load)
  }

  private func measureCopy(_ store: BenchmarkStore, rows: Int, at time: Date) async throws -> BenchmarkPeer {
    let name = "(c) COPY into a bare table, one connection"
    say(name)
    var generator = try ReportGenerator(seed: plan.seed)
    // As many as the server accepted, at most 1,000,000 to bound memory.
    let reports = (0..<min(rows, 1_000_000)).map { _ in generator.next().report(at: time) }
    let seconds = try await store.copy(reports, receivedAt: time) / .seconds(1)
    return BenchmarkPeer(
      name: name, rate: Double(reports.count) / seconds, transactions: reports.count, failed: 0, averageLatency: nil)
  }

  private func check(_ settings: BenchmarkSettings) throws {
    guard settings.isDurable || allowsUnsafe else {
      throw CommandFailure.failed(
        "fsync is \(settings.fsync) and synchronous_commit is \(settings.synchronousCommit): commits are not "
          + "durable. Turn both on, or pass --allow-unsafe.")
    }
    let needed = plan.connections + settings.usedConnections + 10
    guard needed <= settings.maximumConnections else {
      throw CommandFailure.failed(
        "pgbench needs \(plan.connections) connections of its own, and PostgreSQL allows "
          + "\(settings.maximumConnections) in all. Set max_connections to \(needed) or more, restart PostgreSQL and "
          + "the server, or leave pgbench out with --no-peers.")
    }
  }

  private func say(_ line: String) {
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }
}
