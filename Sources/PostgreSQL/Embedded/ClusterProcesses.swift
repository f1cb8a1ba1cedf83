// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The PostgreSQL processes that use a cluster's data folder, whatever process started them.
///
/// Every process of a cluster has the data folder as its current folder. A process id in postmaster.pid alone proves
/// nothing: after a restart of the machine or container another process may have it.
enum ClusterProcesses {
  /// The ids of the running processes.
  static func living(in data: String) -> Set<pid_t> {
    guard let folder = FileStatus(data), let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc")
    else { return [] }
    return Set(names.compactMap { pid_t($0) }.filter { isPostgres($0, in: folder) })
  }

  /// Whether the process is a running PostgreSQL process in that folder.
  static func isPostgres(_ pid: pid_t, in folder: FileStatus) -> Bool {
    guard let current = FileStatus("/proc/\(pid)/cwd", followingLink: true), current.isSame(as: folder),
      let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")
    else { return false }
    return program.split(separator: "/").last?.hasPrefix("postgres") ?? false
  }

  /// The postmaster that the cluster's postmaster.pid names, if it is running.
  static func postmaster(of folder: ClusterFolder) -> pid_t? {
    guard let text = try? String(contentsOfFile: folder.postmasterFile, encoding: .utf8),
      let pid = text.split(separator: "\n").first.flatMap({ pid_t($0) }), let data = FileStatus(folder.data),
      isPostgres(pid, in: data)
    else { return nil }
    return pid
  }

  /// Ends processes with increasingly strong signals.
  /// - Parameters:
  ///   - steps: the signal to the running processes (0 for none) and the seconds to wait after it.
  ///   - living: returns the running processes.
  /// - Returns: the processes that are still running.
  static func end(steps: [(signal: Int32, seconds: Double)], living: () -> Set<pid_t>) -> Set<pid_t> {
    var remaining = living()
    for step in steps where !remaining.isEmpty {
      if step.signal != 0 { for pid in remaining { _ = kill(pid, step.signal) } }
      let deadline = ContinuousClock.now + .seconds(step.seconds)
      while !remaining.isEmpty, ContinuousClock.now < deadline {
        Thread.sleep(forTimeInterval: 0.02)
        remaining = living()
      }
    }
    return remaining
  }
}

/// The state of a cluster that can be read while its thread is busy.
final class ClusterMonitor: Sendable {
  private let stop = Atomic<Bool>(false)
  private let pid = Atomic<Int32>(0)

  /// Waits check it.
  var isStopRequested: Bool { stop.load(ordering: .acquiring) }

  var postmasterPID: Int32? {
    let value = pid.load(ordering: .acquiring)
    return value == 0 ? nil : value
  }

  func requestStop() { stop.store(true, ordering: .releasing) }

  func setPostmaster(_ value: Int32?) { pid.store(value ?? 0, ordering: .releasing) }
}

/// The file with PostgreSQL's messages. It and its predecessor have about `limit` bytes each.
struct ServerLog {
  let path: String
  var limit = 16 << 20

  /// Opens the file for appending; close the descriptor after use.
  func open() throws(EmbeddedPostgresError) -> Int32 {
    let descriptor = Glibc.open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .folderUnusable(folder: path, reason: SystemError.current) }
    return descriptor
  }

  /// Its size in bytes.
  var size: Int { FileStatus(path)?.size ?? 0 }

  /// The last lines that were written after `offset` bytes.
  func tail(from offset: Int, lines: Int = 15) -> String {
    guard let descriptor = try? open() else { return "(no log)" }
    defer { close(descriptor) }
    let start = max(offset, size - 16 << 10)
    var bytes = [UInt8](repeating: 0, count: max(0, size - start))
    let count = pread(descriptor, &bytes, bytes.count, off_t(start))
    let text = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    return Self.lastLines(of: text, count: lines)
  }

  static func lastLines(of text: String, count: Int) -> String {
    text.split(separator: "\n").suffix(count).joined(separator: "\n")
  }

  /// Moves the content to a second file when it exceeds the limit. PostgreSQL keeps the file open and appends, so it is
  /// copied and truncated; a line written in between may be lost.
  func bound() {
    guard size > limit, let source = try? open() else { return }
    defer { close(source) }
    let previous = path + ".1"
    unlink(previous)
    let target = Glibc.open(previous, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard target >= 0 else { return }
    defer { close(target) }
    var remaining = min(size, 2 * limit)
    var offset = off_t(size - remaining)
    while remaining > 0 {
      let count = sendfile(target, source, &offset, remaining)
      guard count > 0 else { break }
      remaining -= count
    }
    ftruncate(source, 0)
  }
}
