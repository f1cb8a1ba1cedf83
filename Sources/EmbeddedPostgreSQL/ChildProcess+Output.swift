// SPDX-License-Identifier: Apache-2.0

import CSpawn
import Foundation

extension ChildProcess {
  /// Runs a program to its end and returns its status and the last 64 KiB of its output.
  /// - Throws: ``EmbeddedPostgresError/binariesUnusable(path:reason:)``.
  static func run(
    _ arguments: [String], folders: [Int32] = []
  ) throws(EmbeddedPostgresError) -> (status: Int32, output: String) {
    var ends: [Int32] = [0, 0]
    guard pipe2(&ends, O_CLOEXEC) == 0 else {
      throw .binariesUnusable(path: arguments[0], reason: SystemError.current)
    }
    defer { close(ends[0]) }
    let child: ChildProcess
    do {
      defer { close(ends[1]) }
      child = try ChildProcess(arguments, output: ends[1], folders: folders)
    }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(ends[0], &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      output += chunk[..<count]
      if output.count > 128 << 10 { output.removeFirst(output.count - 64 << 10) }
    }
    return (child.waitForEnd(), String(decoding: output, as: UTF8.self))
  }
}
