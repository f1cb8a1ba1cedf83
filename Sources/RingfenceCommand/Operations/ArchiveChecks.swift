// SPDX-License-Identifier: Apache-2.0

import EmbeddedPostgreSQL
import Foundation
import Storage
import Timestamps

/// Checks of `doctor` of the private PostgreSQL's archive.
struct ArchiveChecks {
  let folder: DataFolder
  let archive: EmbeddedPostgres.Archive
  let server: ArchiverState

  /// - Returns: nothing for a PostgreSQL of DATABASE_URL.
  static func findings(_ context: CommandContext) async throws -> [Finding] {
    guard try context.folder.settings.databaseURL == nil else { return [] }
    guard let archive = try EmbeddedPostgres.archive(dataFolder: context.folder.path) else {
      return [.ok("archive", "none: when the disk is lost, everything after the last backup is lost")]
    }
    guard let server = try await context.stores.operations.archiverState() else { return [] }
    return ArchiveChecks(folder: context.folder, archive: archive, server: server).findings()
  }

  func findings() -> [Finding] {
    guard let segments = try? WALArchive(folder: archive.folder) else {
      return [.bad("archive", "\(archive.folder) cannot be read", "Mount it, or correct its permissions.")]
    }
    let base = BaseBackupRecord.read(folder)
    return [lag(), completeness(segments, base), age(base)]
  }

  private func lag() -> Finding {
    let log = "\(folder.path)/postgresql/postgresql.log"
    if let failed = server.failedTime, failed > server.lastTime ?? .distantPast {
      return .bad(
        "archive",
        "\(server.failures) attempts failed, the last at \(Timestamp.format(failed)) with "
          + (server.failedSegment ?? "a segment"),
        "Read \(log) and run df \(archive.folder). The data folder keeps the log until it is copied.")
    }
    let seconds = server.waitingSince.map { Int(server.time.timeIntervalSince($0)) } ?? 0
    if seconds > 2 * max(60, archive.timeout) {
      return .bad(
        "archive", "\(server.waiting) segments wait to be copied, the oldest for \(seconds) s",
        "Read \(log). The folder \(archive.folder) is too slow or does not answer.")
    }
    guard let last = server.lastSegment, let time = server.lastTime else {
      return .ok("archive", "\(archive.folder): no segment yet, \(server.waiting) waiting")
    }
    return .ok("archive", "\(archive.folder): \(last) at \(Timestamp.format(time)), \(server.waiting) waiting")
  }

  private func completeness(_ archive: WALArchive, _ base: BaseBackupRecord?) -> Finding {
    let advice = "Recovery ends there. Make a base backup now: ringfence backup --base FILE.tar"
    if let last = server.lastSegment.flatMap({ WALSegment($0) }), !archive.segments.contains(last) {
      return .bad("archived segments", "\(last) was copied and is missing now", advice)
    }
    guard let first = base.flatMap({ WALSegment($0.firstSegment) }) ?? archive.segments.min() else {
      return .ok("archived segments", "none yet")
    }
    if let gap = archive.gap(from: first) { return .bad("archived segments", "\(gap) is missing", advice) }
    return .ok("archived segments", "\(archive.segments.count { $0 >= first }) without a gap from \(first) on")
  }

  private func age(_ base: BaseBackupRecord?) -> Finding {
    let advice = "ringfence backup --base FILE.tar"
    guard let base, let made = Timestamp.parse(base.madeAt) else {
      return .warning("base backup", "none: nothing can be restored from the archive without one", advice)
    }
    let days = server.time.timeIntervalSince(made) / 86_400
    let found = String(format: "%@ of %@, %.1f days old", base.target, base.madeAt, days)
    return days > 8
      ? .warning("base backup", found, "Recovery from an old one takes long. Make a new one: \(advice)")
      : .ok("base backup", found)
  }
}
