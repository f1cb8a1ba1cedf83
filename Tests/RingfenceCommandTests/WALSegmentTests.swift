// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RingfenceCommand

@Suite struct WALSegmentTests {
  @Test func `names are those of PostgreSQL`() throws {
    let last = try #require(WALSegment("0000000100000002000000FF"))
    #expect(last.timeline == 1 && last.number == 2 * 256 + 255 && "\(last)" == "0000000100000002000000FF")
    #expect("\(last.next)" == "000000010000000300000000")
    for name in ["00000002.history", "000000010000000200000100", "00000001000000020000000f", "", "archive-id"] {
      #expect(WALSegment(name) == nil, "\(name)")
    }
  }

  @Test func `a gap is found`() async throws {
    try await withTemporaryFolder { folder in
      for name in [
        "000000010000000000000003.gz", "000000010000000000000004.gz", "000000010000000000000006.gz",
        "000000020000000000000009.gz", "000000010000000000000003.00000028.backup.gz", "archive-id",
      ] { try Data().write(to: URL(filePath: "\(folder)/\(name)")) }
      let archive = try WALArchive(folder: folder)
      #expect(archive.segments.count == 4)
      func gap(from name: String) throws -> String? {
        archive.gap(from: try #require(WALSegment(name))).map { "\($0)" }
      }
      #expect(try gap(from: "000000010000000000000003") == "000000010000000000000005")
      #expect(try gap(from: "000000010000000000000002") == "000000010000000000000002")
      #expect(try gap(from: "000000010000000000000006") == nil)
      #expect(try gap(from: "000000010000000000000007") == nil)
      #expect(throws: CommandFailure.self) { try WALArchive(folder: "\(folder)/none") }
    }
  }
}
