// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Dispatch
import Foundation
import Testing

@testable import RingfenceClient

/// Marks the queue of a client.
private let mark = DispatchSpecificKey<Bool>()

extension RingfenceClient {
  fileprivate func isOnMarkedQueue() -> Bool { DispatchQueue.getSpecific(key: mark) == true }
}

extension PackUpdater {
  fileprivate func isOnMarkedQueue() -> Bool { DispatchQueue.getSpecific(key: mark) == true }
}

@Suite struct ExecutorTests {
  @Test func `the client runs on the queue of its files`() async throws {
    try await withFolder { folder in
      let server = ScriptedServer { try ScriptedServer.results("created", of: $0) }
      let client = try RingfenceClient(configuration(folder), transport: server)
      client.files.queue.setSpecific(key: mark, value: true)
      #expect(await client.isOnMarkedQueue())
      try await client.report(report())
      #expect(await client.flush() == FlushResult(delivered: 1))
      #expect(await client.isOnMarkedQueue())
    }
  }

  @Test func `the pack updater runs on a queue of its own`() async throws {
    try await withFolder { folder in
      let configuration = try ClientConfiguration(
        server: #require(URL(string: "https://ringfence.example/v1")), key: "rf_key", folder: folder,
        anchor: .root(Data()))
      let server = ScriptedServer { _ in .init(status: 404) }
      let updater = try PackUpdater(configuration, transport: server, environment: HandClock().environment)
      #expect(await !updater.isOnMarkedQueue())
      updater.files.queue.setSpecific(key: mark, value: true)
      #expect(await updater.isOnMarkedQueue())
    }
  }
}
