// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import API

@Suite struct RevocationFileTests {
  @Test func `a list counts for 30 days after it was written, and a broken file replaces nothing`() async throws {
    let now = Date(timeIntervalSince1970: 1_795_000_000)
    let day = 86_400.0
    try await withTemporaryFolder { folder in
      let path = "\(folder)/android-status.json"
      let trust = AttestationTrust(revocations: path)
      func write(_ text: String, at time: Date) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
      }
      #expect(trust.revokedKeys(at: now) == nil)
      try write(#"{"entries":{"a":{"status":"REVOKED"}}}"#, at: now)
      // The server checks the file once a minute.
      #expect(trust.revokedKeys(at: now + 59) == nil)
      #expect(trust.revokedKeys(at: now + 60) == 1)
      try write(#"{"entries":"#, at: now + 100)
      #expect(trust.revokedKeys(at: now + 200) == 1)
      #expect(trust.revokedKeys(at: now + 30 * day) == 1)
      #expect(trust.revokedKeys(at: now + 30 * day + 1) == nil)
      try write(#"{"entries":{"a":{"status":"REVOKED"},"b":{"status":"REVOKED"}}}"#, at: now + 31 * day)
      #expect(trust.revokedKeys(at: now + 31 * day) == 2)
      // A clock that was wrong when the file was written.
      try write(#"{"entries":{}}"#, at: now + 100 * day)
      #expect(trust.revokedKeys(at: now + 32 * day) == nil)
    }
  }
}
