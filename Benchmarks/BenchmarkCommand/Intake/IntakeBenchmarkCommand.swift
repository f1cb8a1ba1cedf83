// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PostgreSQL
import Foundation
import RingfenceCommand

/// `ringfence-benchmark intake`
struct IntakeBenchmarkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "intake",
    abstract: "Send reports as fast as they are acknowledged, and compare the rate with PostgreSQL alone.",
    discussion: """
      In the same run and on the same PostgreSQL, pgbench runs (a) the statement that stores one report, one a \
      transaction, and (b) a bare single-row insert a transaction, with as many clients. Where a request carries more \
      than one report, (c) copies as many as the server stored into a bare table, in one transaction. (a), (b) and (c) \
      use a schema of their own, benchmark_intake, which is removed afterwards.

      The reports that are sent stay in the server's database: measure a server that was started for it.
      """)

  @OptionGroup var database: DatabaseOptions

  @OptionGroup var load: LoadOptions

  @Option(help: "Connections to the server, and clients of pgbench.")
  var connections = 64

  @Option(help: "How long each measurement takes.")
  var seconds = 15

  @Option(help: "Reports a request, 1 to 1000; more than one are sent as an array.")
  var batch = 1

  @Option(
    name: .customLong("database"),
    help: "The server's PostgreSQL; without it DATABASE_URL, or the private one of the data folder.")
  var dsn: String?

  @Option(help: "The server's process, for its memory; without it the process that listens on the port.")
  var serverPid: Int32?

  @Option(help: "The seed of the random numbers.")
  var seed: UInt64 = 1

  @Option(help: "Report the numbers of a fill with so many numbers, each as often, in place of 100,000 others.")
  var filled = 0

  @Flag(help: "Leave pgbench out; nothing is sent to PostgreSQL.")
  var noPeers = false

  @Flag(help: "Also COPY as many reports into a bare table; without it only when --batch is more than 1.")
  var copy = false

  @Flag(help: "Measure although fsync or synchronous_commit is off.")
  var allowUnsafe = false

  @Flag(help: "Print the figures as JSON.")
  var json = false

  func validate() throws {
    guard (1...10_000).contains(connections) else { throw ValidationError("--connections is 1 to 10000.") }
    guard (1...86_400).contains(seconds) else { throw ValidationError("--seconds is 1 to 86400.") }
    guard (0...100_000_000).contains(filled) else { throw ValidationError("--filled is 0 to 100000000.") }
    guard (1...1_000).contains(batch) else { throw ValidationError("--batch is 1 to 1000.") }
    if let dsn, dsn.contains("password=") || dsn.firstMatch(of: /:\/\/[^\/@]*:[^\/@]+@/) != nil {
      throw ValidationError("A password on a command line is visible to others. Set DATABASE_URL instead.")
    }
  }

  func run() async throws {
    let target = try load.target()
    let plan = LoadPlan(
      target: target, key: try BenchmarkKey.find(file: load.keyFile, settings: database.settings()),
      connections: connections,
      seconds: seconds, batch: batch, seed: seed, filled: filled)
    let pid = serverPid ?? ListeningProcess.find(port: target.port)
    let report = try await IntakeBenchmark(
      plan: plan, serverPID: pid, copies: copy || batch > 1, allowsUnsafe: allowUnsafe,
      peers: noPeers ? nil : try peerDatabase()
    ).run()
    print(json ? try report.json : report.table)
  }

  private func peerDatabase() throws -> PeerDatabase {
    if let dsn { return PeerDatabase(dsn: dsn, maintenanceDSN: dsn) }
    let settings = try database.settings()
    if let url = try settings.databaseURL {
      return PeerDatabase(dsn: url, maintenanceDSN: url)
    }
    let folder = URL(filePath: try settings.data).standardizedFileURL.path
    guard let dsn = EmbeddedPostgres.runningDSN(dataFolder: folder) else {
      throw CommandFailure.failed(
        "No server runs a private PostgreSQL in \(folder). Name its folder with --data or its database with "
          + "--database, or leave pgbench out with --no-peers.")
    }
    return PeerDatabase(
      dsn: dsn, maintenanceDSN: EmbeddedPostgres.runningMaintenanceDSN(dataFolder: folder) ?? dsn)
  }
}
