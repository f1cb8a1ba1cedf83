// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RingfenceCommand

/// The messages of the service to systemd.
@Suite struct ServiceManagerTests {
  /// Binds a datagram socket, with the bytes of its name.
  private func listen(_ name: [UInt8]) throws -> Int32 {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
    }
    try #require(status == 0)
    return socket
  }

  /// The next message. It is awaited without a thread of the tasks, because the sender needs one too.
  private func receive(_ socket: Int32) async throws -> String {
    var bytes = [UInt8](repeating: 0, count: 256)
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      let count = recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if count >= 0 { return String(decoding: bytes.prefix(count), as: UTF8.self) }
      try #require(errno == EAGAIN)
      try await Task.sleep(for: .milliseconds(1))
    }
    return ""
  }

  @Test(arguments: [false, true]) func `states and signs of life reach the socket`(isAbstract: Bool) async throws {
    try await withTemporaryFolder { folder in
      let name = isAbstract ? "@ringfence-\(UUID())" : "\(folder)/notify"
      let socket = try listen(Array((isAbstract ? "\0" + name.dropFirst() : name).utf8))
      defer { close(socket) }
      let manager = ServiceManager(environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "2000"])
      #expect(manager.tell("READY=1\nSTATUS=Listening"))
      #expect(try await receive(socket) == "READY=1\nSTATUS=Listening")
      let watching = Task { await manager.watch() }
      for _ in 0..<3 { #expect(try await receive(socket) == "WATCHDOG=1") }
      watching.cancel()
      await watching.value
    }
  }

  @Test(arguments: [
    [:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "vsock:2:1"], ["NOTIFY_SOCKET": "/nowhere/notify"],
    ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)], ["WATCHDOG_USEC": "-5"],
    ["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"],
  ])
  func `a program without a manager sends nothing`(_ environment: [String: String]) async {
    let manager = ServiceManager(environment: environment)
    #expect(!manager.tell("READY=1"))
    await manager.watch()
  }
}
