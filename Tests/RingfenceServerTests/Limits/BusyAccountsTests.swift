// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPServer

@Suite struct BusyAccountsTests {
  @Test func `an account checks one file at a time, and others do not wait`() async throws {
    let accounts = AccountTurns<String>(most: 1, mostWaiting: 0)
    let answer = try await accounts.take("Rules") {
      await #expect(throws: Problem.self) { try await accounts.take("Rules") { 2 } }
      return try await accounts.take("Others") { 1 }
    }
    #expect(answer == 1)
    #expect(try await accounts.take("Rules") { 3 } == 3)
  }
}
