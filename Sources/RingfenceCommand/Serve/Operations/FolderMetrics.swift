// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import PostgreSQL
import ServerSupport
import Storage
import Support

/// Metrics of the disks of a server's folders, of its archive and its last backup.
struct FolderMetrics: Sendable {
  /// Paths by the label of the metric.
  private let folders: [(name: String, path: String)]
  private let data: DataFolder
  private let archiver: @Sendable () async -> ArchiverState?

  init(_ data: DataFolder, auditOutput: String?, operations: OperationStore) throws {
    let archive = try data.settings.databaseURL == nil ? EmbeddedPostgres.archive(dataFolder: data.path) : nil
    let others = [
      ("archive", archive?.folder), ("audit_output", auditOutput.map { ($0 as NSString).deletingLastPathComponent }),
    ]
    folders =
      [("data", data.path), ("publications", data.publications)]
      + others.compactMap { name, path in path.map { (name, $0) } }
    self.data = data
    archiver = { archive == nil ? nil : try? await operations.archiverState() }
  }

  func join(_ metrics: PrometheusMetricsFactory) {
    metrics.collect { exposition in
      await write(to: &exposition)
    }
  }

  private func write(to exposition: inout Exposition) async {
    // A file system of the network may not answer.
    let folders = folders
    let found = try? await withDeadline(.seconds(2)) {
      try await runOnThread { folders.compactMap { folder in FolderSpace(folder.path).map { (folder.name, $0) } } }
    }
    func gauge(_ name: String, _ value: (FolderSpace) -> Double?) {
      exposition.gauge(
        "ringfence_folder_\(name)",
        (found ?? []).compactMap { folder, space in value(space).map { ([("folder", folder)], $0) } })
    }
    gauge("free_bytes") { Double($0.freeBytes) }
    gauge("size_bytes") { Double($0.bytes) }
    gauge("free_files") { $0.freeFiles.map { Double($0) } }
    let archive = await archiver()
    exposition.time("ringfence_archive_time_seconds", archive?.lastTime)
    exposition.time("ringfence_archive_failure_time_seconds", archive?.failedTime)
    exposition.time("ringfence_backup_time_seconds", BackupRecord.time(in: data))
  }
}

extension Exposition {
  /// Adds a time in seconds since 1970. Without one, the metric has its head alone.
  mutating func time(_ name: String, _ time: Date?) {
    gauge(name, time.map { [([], $0.timeIntervalSince1970)] } ?? [])
  }
}

/// The time of the last backup of a data folder.
enum BackupRecord {
  /// The age from which a backup is late: a daily one with half a day more.
  static let maxAge: TimeInterval = 36 * 3_600
  private static func path(_ folder: DataFolder) -> String { "\(folder.path)/last-backup" }

  /// - Returns: nil before the first.
  static func time(in folder: DataFolder) -> Date? {
    (try? FileManager.default.attributesOfItem(atPath: path(folder)))?[.modificationDate] as? Date
  }

  /// A folder that cannot be written has other warnings.
  static func note(in folder: DataFolder) { _ = FileManager.default.createFile(atPath: path(folder), contents: Data()) }
}
