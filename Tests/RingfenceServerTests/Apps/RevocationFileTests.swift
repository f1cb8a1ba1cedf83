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
      let file = RevocationFile(path: path)
      func write(_ text: String, at time: Date) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
      }
      #expect(file.list(at: now) == nil)
      try write(#"{"entries":{"a":{"status":"REVOKED"}}}"#, at: now)
      // The server checks the file once a minute.
      #expect(file.list(at: now + 59) == nil)
      #expect(file.list(at: now + 60)?.count == 1)
      try write(#"{"entries":"#, at: now + 100)
      #expect(file.list(at: now + 200)?.count == 1)
      #expect(file.list(at: now + 30 * day)?.count == 1)
      #expect(file.list(at: now + 30 * day + 1) == nil)
      try write(#"{"entries":{"a":{"status":"REVOKED"},"b":{"status":"REVOKED"}}}"#, at: now + 31 * day)
      #expect(file.list(at: now + 31 * day)?.count == 2)
      #expect(AttestationTrust(revocations: path).revokedKeys(at: now + 31 * day) == 2)
      // A clock that was wrong when the file was written.
      try write(#"{"entries":{}}"#, at: now + 100 * day)
      #expect(file.list(at: now + 32 * day) == nil)
    }
  }
}
