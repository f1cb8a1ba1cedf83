// SPDX-License-Identifier: Apache-2.0

import CLibPQ
import PostgreSQL
import Foundation
import Logging
import Synchronization

let quiet = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }

/// A test's own folder with its clusters, removed afterwards.
struct ClusterFixture: Sendable, Codable {
  let folder: String

  var data: String { folder + "/data" }

  /// Options for a small and fast cluster.
  func options(diesWithParent: Bool = true) -> EmbeddedPostgres.Options {
    EmbeddedPostgres.Options(
      dataFolder: data, settings: ["shared_buffers": "16MB", "max_connections": "20"], durable: false,
      diesWithParent: diesWithParent)
  }

  func start(diesWithParent: Bool = true) async throws -> EmbeddedPostgres {
    let postgres = try await EmbeddedPostgres.start(options(diesWithParent: diesWithParent), logger: quiet)
    started.withLock { $0[folder, default: []].append(postgres) }
    return postgres
  }
}

/// The clusters by the folder that started them.
private let started = Mutex<[String: [EmbeddedPostgres]]>([:])

/// Runs a test in its own folder and removes folder and clusters, even when it fails.
func withWorkplace<R>(
  in parent: String = "/tmp", _ body: (ClusterFixture) async throws -> R
) async throws -> R {
  let folder = "\(parent)/ringfence-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
  try FileManager.default.createDirectory(
    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
  let outcome: Result<R, any Error>
  do { outcome = .success(try await body(ClusterFixture(folder: folder))) } catch { outcome = .failure(error) }
  let clusters = started.withLock { all in
    all.keys.filter { $0.hasPrefix(folder) }.flatMap { all.removeValue(forKey: $0) ?? [] }
  }
  for cluster in clusters { try? await cluster.stop() }
  killClusters(under: folder)
  try? FileManager.default.removeItem(atPath: folder)
  return try outcome.get()
}

/// Ends every process that uses a folder: those that servers in exit tests left running.
private func killClusters(under folder: String) {
  let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  for pid in processes.compactMap({ pid_t($0) }) where pid != getpid() {
    let current = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd")
    if let current, current.hasPrefix(folder + "/") { kill(pid, SIGKILL) }
  }
}

struct QueryFailure: Error { let message: String }

/// Runs a query on a separate connection and returns the first column of its first row.
@discardableResult
func query(_ sql: String, _ dsn: String) throws -> String {
  let connection = PQconnectdb(dsn + " connect_timeout=10")
  defer { PQfinish(connection) }
  let result = PQexec(connection, sql)
  defer { PQclear(result) }
  let status = PQresultStatus(result)
  guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
    throw QueryFailure(message: String(cString: PQerrorMessage(connection)))
  }
  return PQntuples(result) > 0 ? String(cString: PQgetvalue(result, 0, 0)) : ""
}

/// Whether the process runs; one that has ended, but was not waited for, does not.
func isRunning(_ pid: pid_t) -> Bool {
  (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")) != nil
}

/// Waits until a condition is true, up to a time limit; returns whether it became true.
func eventually(within bound: Duration = .seconds(300), _ condition: () throws -> Bool) async -> Bool {
  let deadline = ContinuousClock.now + bound
  while ContinuousClock.now < deadline {
    if (try? condition()) == true { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return false
}
