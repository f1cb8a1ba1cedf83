// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Testing

@testable import ServerSupport

@Suite struct LogTests {
  @Test func `a log line is one JSON object for any content`() throws {
    let line = ServerLogHandler.json(
      level: .error, message: "a \"b\"\nc\u{2028}\u{1}",
      ["hb.request.id": "r-1", "message": "mine", "n": "\(3)", "count": .stringConvertible(3)], source: "Web",
      at: Date(timeIntervalSince1970: 1.5))
    #expect(line.hasSuffix("}\n") && line.split(separator: "\n").count == 1)
    #expect(line.contains(#""count":3,"#))
    let fields = try JSONDecoder().decode(
      [String: String].self, from: Data(line.replacing(#""count":3,"#, with: "").utf8))
    #expect(
      fields == [
        "time": "1970-01-01T00:00:01.500Z", "level": "error", "source": "Web", "message": "a \"b\"\nc\u{2028}\u{1}",
        "request_id": "r-1", "entry.message": "mine", "n": "3",
      ])
  }

  @Test func `request IDs of clients are accepted only when valid`() {
    for good in ["a", "5f0b1f5e-7d3e-4a53-9c1b-0a5a4fc0b9ad", "A_b.c-9", String(repeating: "x", count: 64)] {
      #expect(RequestID(given: good).text == good)
    }
    for bad in ["", "a b", "a\nb", "ä", "<script>", String(repeating: "x", count: 65), "a=b"] {
      #expect(RequestID.isSane(RequestID(given: bad).text) && RequestID(given: bad).text != bad)
    }
    #expect(RequestID(given: nil) != RequestID(given: nil))
  }
}
