// SPDX-License-Identifier: Apache-2.0

import EmbeddedPostgreSQL
import Foundation

/// Restores the files of a checked base backup, and later transactions from an archive.
struct BaseRestore {
  let settings: Settings
  /// Folder of the backup.
  let folder: String
  let base: BackupManifest.Base
  /// Folder of the archive; nil restores only the base backup.
  let archive: String?
  /// Time up to which transactions are restored, RFC 3339; nil restores everything.
  let until: String?

  /// Creates the cluster of the data folder and recovers it.
  /// - Returns: the end of the recovery.
  func run() async throws -> EmbeddedPostgres.Replayed? {
    let data = try DataFolder(settings)
    let gap = try gap()
    if let gap { print("The archive has no segment \(gap). Nothing after it can be restored.") }
    try await EmbeddedPostgres.makeCluster(dataFolder: data.path, archive: archive) { path in
      let files = "\(folder)/\(BackupManifest.baseFiles)"
      try await unpack("\(files)/base.tar.gz", into: path)
      try await unpack("\(files)/pg_wal.tar.gz", into: "\(path)/pg_wal")
    }
    let step = StatusLine("Restoring")
    let options = EmbeddedPostgres.Options(
      dataFolder: data.path, programs: try settings.pgBin, archiving: .off,
      recovery: EmbeddedPostgres.Recovery(archive: archive, until: until))
    let cluster = try await EmbeddedPostgres.start(options, logger: .quiet, progress: { step.say($0) })
    let replayed: EmbeddedPostgres.Replayed?
    do {
      replayed = try await cluster.replayed()
    } catch {
      try? await cluster.stop()
      throw error
    }
    try await cluster.stop()
    step.finish()
    if gap == nil { try await checkEnd(replayed) }
    return replayed
  }

  private func unpack(_ file: String, into folder: String) async throws {
    let (status, output) = try await ExternalProgram.run(
      "/usr/bin/env", ["tar", "--extract", "--gzip", "--no-same-owner", "--file=\(file)", "--directory=\(folder)"])
    guard status == 0 else { throw CommandFailure.failed("\(file) cannot be unpacked: \(output)") }
  }

  private func gap() throws -> WALSegment? {
    guard let archive, let first = WALSegment(base.firstSegment) else { return nil }
    let segments = try WALArchive(folder: archive)
    guard !segments.segments.isEmpty else {
      throw CommandFailure.failed("\(archive) has no segment of a write-ahead log. Pass the folder of serve --archive.")
    }
    return segments.gap(from: first)
  }

  /// Checks that the recovery reached the newest segment: PostgreSQL ends it without an error at a damaged one.
  private func checkEnd(_ replayed: EmbeddedPostgres.Replayed?) async throws {
    guard until == nil, let archive, let end = replayed?.end, let first = WALSegment(base.firstSegment),
      let newest = try WALArchive(folder: archive).newest(timeline: first.timeline)
    else { return }
    let last = WALSegment(timeline: first.timeline, number: end / WALSegment.bytes)
    guard last >= newest else {
      // A record may begin in one segment and end in the next, which is damaged.
      let test = try await ExternalProgram.run("/usr/bin/env", ["gzip", "--test", "\(archive)/\(last).gz"])
      let last = test.status == 0 ? last.next : last
      throw CommandFailure.failed(
        "Segment \(last) of the archive is damaged, and the archive continues to \(newest). Remove the new data folder. "
          + "Then copy the segment from elsewhere and try again, or restore with an earlier --to.")
    }
  }
}
