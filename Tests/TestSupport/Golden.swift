// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestData
public import Testing

/// Results of many cases around the limits of rules, recorded in `Tests/TestData/Fixtures/Golden`.
///
/// A changed rule changes lines. Read them, and write the file again with `RINGFENCE_WRITE_GOLDEN=1`.
public enum Golden {
  /// Expects the recorded lines, and names the first one that differs.
  public static func expect(
    _ lines: [String], in name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let path = Checkout.fixture("Golden/\(name)")
    if ProcessInfo.processInfo.environment["RINGFENCE_WRITE_GOLDEN"] != nil {
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path))
    }
    let recorded = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(lines.count == recorded.count, "\(name)", sourceLocation: sourceLocation)
    if let (found, wanted) = zip(lines, recorded).first(where: { $0 != $1 }) {
      #expect(found == wanted, "\(name)", sourceLocation: sourceLocation)
    }
  }
}
