// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestData

/// Tables of real data beside the project.
enum SharedData {
  /// Whether a file exists; prints a note if it is missing, because tests that need it are skipped.
  static func has(_ path: String) -> Bool { Checkout.shared("data/\(path)") != nil }

  /// The lines of a file after its header; the file is unpacked if its name ends in `.gz`.
  static func rows(_ path: String) throws -> [Substring] {
    guard let file = Checkout.shared("data/\(path)") else { throw CocoaError(.fileNoSuchFile) }
    let bytes = path.hasSuffix(".gz") ? try unpacked(file) : try Data(contentsOf: URL(filePath: file))
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst().map { $0 }
  }

  private static func unpacked(_ file: String) throws -> Data {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc", file]
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.fileReadCorruptFile) }
    return bytes
  }
}
