import ArgumentParser
import EmbeddedPostgreSQL
import Foundation

/// `ringfence bench intake`
struct IntakeBenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "intake",
    abstract: "Send complaints as fast as they are acknowledged, and hold the rate against PostgreSQL's own.",
    discussion: """
      Beside the server, in the same run and on the same PostgreSQL, pgbench does (a) the very statement that takes \
      one complaint, one a transaction, and (b) a bare single-row insert a transaction, with as many clients. Where a \
      request bears more than one complaint, (c) copies as many as the server took into a bare table, in one \
      transaction. All work in a schema of their own, bench_intake, which is removed afterwards.

      The complaints sent stay in the server's database: measure a server that has been started for it.
      """)

  @OptionGroup var database: DatabaseOptions

  @Option(help: "The server, on this machine.")
  var url = "http://127.0.0.1:8080"

  @Option(help: "A file with an app's API key; without it RINGFENCE_API_KEY, or the sample app's in the data folder.")
  var keyFile: String?

  @Option(help: "Connections to the server, and clients of pgbench.")
  var connections = 64

  @Option(help: "How long each measurement takes.")
  var seconds = 15

  @Option(help: "Complaints a request, 1 to 1000; more than one go as an array.")
  var batch = 1

  @Option(
    name: .customLong("database"),
    help: "The server's PostgreSQL; without it DATABASE_URL, or the private one of the data folder.")
  var dsn: String?

  @Option(help: "The server's process, for its memory; without it whoever listens on the port.")
  var serverPid: Int32?

  @Option(help: "Where chance starts.")
  var seed: UInt64 = 1

  @Flag(help: "Leave pgbench out; PostgreSQL is asked nothing.")
  var noPeers = false

  @Flag(help: "Also COPY as many complaints into a bare table; without it only when --batch is more than 1.")
  var copy = false

  @Flag(help: "Measure although fsync or synchronous_commit is off.")
  var allowUnsafe = false

  @Flag(help: "Print the figures as JSON.")
  var json = false

  func validate() throws {
    guard (1...10_000).contains(connections) else { throw ValidationError("--connections is 1 to 10000.") }
    guard (1...86_400).contains(seconds) else { throw ValidationError("--seconds is 1 to 86400.") }
    guard (1...1_000).contains(batch) else { throw ValidationError("--batch is 1 to 1000.") }
    if let dsn, dsn.contains("password=") || dsn.firstMatch(of: /:\/\/[^\/@]*:[^\/@]+@/) != nil {
      throw ValidationError("A password does not belong on a command line: put the address into DATABASE_URL.")
    }
    guard LoadTarget(url: url) != nil else {
      throw ValidationError(
        "--url is http:// with a loopback address, such as http://127.0.0.1:8080: other machines are not loaded.")
    }
  }

  func run() async throws {
    guard let target = LoadTarget(url: url) else { return }
    let plan = LoadPlan(
      target: target, key: try BenchKey.find(file: keyFile, data: database.data), connections: connections,
      seconds: seconds, batch: batch, seed: seed)
    let pid = serverPid ?? ListeningProcess.find(port: target.port)
    let report = try await IntakeBenchmark(
      plan: plan, serverPID: pid, copies: copy || batch > 1, allowsUnsafe: allowUnsafe,
      peers: noPeers ? nil : try peerDatabase()
    ).run()
    print(json ? try report.json : report.table)
  }

  private func peerDatabase() throws -> PeerDatabase {
    if let dsn { return PeerDatabase(dsn: dsn, maintenanceDSN: dsn) }
    if let url = try SecretSetting.read("DATABASE_URL") {
      return PeerDatabase(dsn: url, maintenanceDSN: url)
    }
    let folder = URL(filePath: database.data).standardizedFileURL.path
    guard let dsn = EmbeddedPostgres.runningDSN(dataFolder: folder) else {
      throw CommandFailure.failed(
        "No server runs a private PostgreSQL in \(folder). Name its folder with --data or its database with "
          + "--database, or leave pgbench out with --no-peers.")
    }
    return PeerDatabase(
      dsn: dsn, maintenanceDSN: EmbeddedPostgres.runningMaintenanceDSN(dataFolder: folder) ?? dsn)
  }
}
