// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Foundation
import Storage
import Support

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
        "\(TextFormat.count(server.failures, "attempt")) failed, the last at \(Timestamp.format(failed)) with "
          + (server.failedSegment ?? "a segment"),
        "Read \(log) and run df \(archive.folder). The data folder keeps the log until it is copied.")
    }
    let seconds = server.waitingSince.map { Int(server.time.timeIntervalSince($0)) } ?? 0
    if seconds > 2 * max(60, archive.timeout) {
      return .bad(
        "archive",
        "\(TextFormat.count(server.waiting, "segment waits", "segments wait")) to be copied, the oldest for \(seconds) s",
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

/// A segment of the write-ahead log: 16 MiB, named by its timeline and its position.
struct WALSegment: Hashable, Comparable, CustomStringConvertible {
  static let bytes: UInt64 = 16 << 20
  private static let perFile: UInt64 = (1 << 32) / bytes

  let timeline: UInt32
  /// Position in the log, in segments.
  let number: UInt64

  init(timeline: UInt32, number: UInt64) {
    self.timeline = timeline
    self.number = number
  }

  /// - Returns: nil for any other name.
  init?(_ name: String) {
    guard name.utf8.count == 24, name.allSatisfy({ $0.isHexDigit && !$0.isLowercase }) else { return nil }
    let parts = [0, 8, 16].map { start in
      UInt64(name.dropFirst(start).prefix(8), radix: 16) ?? 0
    }
    guard parts[2] < Self.perFile else { return nil }
    self.init(timeline: UInt32(parts[0]), number: parts[1] * Self.perFile + parts[2])
  }

  var next: WALSegment { WALSegment(timeline: timeline, number: number + 1) }

  var description: String {
    String(format: "%08X%08X%08X", timeline, UInt32(number / Self.perFile), UInt32(number % Self.perFile))
  }

  static func < (left: WALSegment, right: WALSegment) -> Bool {
    (left.timeline, left.number) < (right.timeline, right.number)
  }
}

/// The segments in an archive's folder.
struct WALArchive {
  let segments: Set<WALSegment>

  /// - Throws: ``CommandFailure`` when the folder cannot be read.
  init(folder: String) throws {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      throw CommandFailure.unreadable("The archive \(folder) cannot be read. Check its name, owner and permissions.")
    }
    segments = Set(names.compactMap { $0.hasSuffix(".gz") ? WALSegment(String($0.dropLast(3))) : nil })
  }

  func newest(timeline: UInt32) -> WALSegment? { segments.filter { $0.timeline == timeline }.max() }

  /// The first segment that is missing between `first` and the newest of its timeline.
  func gap(from first: WALSegment) -> WALSegment? {
    guard let newest = newest(timeline: first.timeline), newest >= first else { return nil }
    var segment = first
    while segments.contains(segment) { segment = segment.next }
    return segment <= newest ? segment : nil
  }
}
