// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import API
@testable import HTTPServer

@Suite struct BusyAccountsTests {
  @Test func `an account checks one file at a time, and others do not wait`() async throws {
    let accounts = BusyAccounts()
    let answer = try await accounts.alone("Rules") {
      await #expect(throws: Problem.self) { try await accounts.alone("Rules") { 2 } }
      return try await accounts.alone("Others") { 1 }
    }
    #expect(answer == 1)
    #expect(try await accounts.alone("Rules") { 3 } == 3)
  }
}
