// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import PostgreSQL

@Suite struct MachineMemoryTests {
  /// The memory of a machine with these files.
  private func bytes(_ files: [String: String]) throws -> Int {
    let root = FileManager.default.temporaryDirectory.appending(path: "memory-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: root) }
    for (path, text) in files {
      let file = URL(filePath: root + path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    return MachineMemory.bytes(root: root)
  }

  @Test func `the smallest limit counts`() throws {
    let machine = try bytes([:])
    #expect(machine > 256 << 20)
    let (two, one) = ("/sys/fs/cgroup", "/sys/fs/cgroup/memory")
    func limited(_ groups: String, _ limits: [String: String]) throws -> Int {
      try bytes(limits.merging(["/proc/self/cgroup": groups]) { $1 })
    }
    #expect(try limited("0::/a/b\n", ["\(two)/a/b/memory.max": "max\n", "\(two)/a/memory.max": "max\n"]) == machine)
    #expect(try limited("0::/a/b\n", ["\(two)/a/b/memory.max": "\(300 << 20)\n"]) == 300 << 20)
    #expect(try limited("0::/a/b\n", ["\(two)/a/memory.max": "\(200 << 20)\n"]) == 200 << 20)
    // A container sees its own group as the root.
    #expect(try limited("0::/\n", ["\(two)/memory.max": "\(100 << 20)\n"]) == 100 << 20)
    let groups = "5:pids:/x\n4:cpu,memory:/c\n0::/\n"
    #expect(try limited(groups, ["\(one)/c/memory.limit_in_bytes": "\(90 << 20)\n"]) == 90 << 20)
    #expect(try limited(groups, ["\(one)/c/memory.limit_in_bytes": "9223372036854771712\n"]) == machine)
    #expect(try limited(groups, ["\(two)/memory.max": "99999999999999999999\n"]) == machine)
    #expect(try bytes(["/proc/meminfo": "MemTotal:         524288 kB\nMemFree: 1 kB\n"]) == 512 << 20)
  }

  @Test(arguments: [(0, 256), (1 << 30, 256), (4 << 30, 512), (16 << 30, 2_048), (64 << 30, 4_096)])
  func `PostgreSQL gets an eighth of the memory`(memory: Int, megabytes: Int) {
    #expect(ClusterConfiguration.sharedMegabytes(of: memory) == megabytes)
  }

  @Test func `PostgreSQL gets fewer shared buffers where the memory is taken`() async throws {
    try await withWorkplace { place in
      let folder = try ClusterFolder(dataFolder: try ClusterFolder.prepareDataFolder(place.data))
      var options = place.options()
      func configuration() throws -> ClusterConfiguration {
        try ClusterConfiguration(options, folder: folder, serverAccount: .current())
      }
      // A setting of the options is kept.
      #expect(try configuration().withFewestBuffers == nil)
      options.settings["shared_buffers"] = nil
      let usual = ClusterConfiguration.sharedMegabytes(of: MachineMemory.bytes())
      #expect(try configuration().settings.contains("shared_buffers = '\(usual)MB'"))
      #expect(try configuration().settings.contains("effective_cache_size = '\(4 * usual)MB'"))
      let fewest = try configuration().withFewestBuffers
      #expect(fewest?.settings.contains("shared_buffers = '256MB'") == (usual > 256 ? true : nil))
    }
  }
}
