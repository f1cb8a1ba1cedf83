// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import PostgreSQL

@Suite struct MachineMemoryTests {
  /// The memory of a process in the group `/a/b`, with these limits of the groups above and of itself.
  private func bytes(_ limits: [String: String], path: String = "0::/a/b\n") throws -> Int {
    let folder = FileManager.default.temporaryDirectory.appending(path: "memory-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: "\(folder)/a/b", withIntermediateDirectories: true)
    for (group, limit) in limits {
      try limit.write(toFile: "\(folder)\(group)/memory.max", atomically: false, encoding: .utf8)
    }
    try path.write(toFile: "\(folder)/process", atomically: false, encoding: .utf8)
    return MachineMemory.bytes(groups: folder, process: "\(folder)/process")
  }

  @Test func `the smallest limit of a group counts`() throws {
    let machine = try bytes([:])
    #expect(machine > 256 << 20)
    #expect(try bytes(["/a/b": "max\n", "/a": "max\n"]) == machine)
    #expect(try bytes(["/a/b": "\(300 << 20)\n", "/a": "max\n"]) == 300 << 20)
    #expect(try bytes(["/a/b": "max\n", "/a": "\(200 << 20)\n"]) == 200 << 20)
    // A container sees its own group as the root.
    #expect(try bytes(["": "\(100 << 20)\n"], path: "0::/\n") == 100 << 20)
    #expect(try bytes(["/a/b": "\(300 << 20)\n"], path: "12:memory:/a/b\n") == machine)
  }

  @Test(arguments: [(0, 256), (1 << 30, 256), (4 << 30, 512), (16 << 30, 2_048), (64 << 30, 4_096)])
  func `PostgreSQL gets an eighth of the memory`(memory: Int, megabytes: Int) {
    #expect(ClusterConfiguration.sharedMegabytes(of: memory) == megabytes)
  }
}
