// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PackFormats

/// Reads the rows of an evidence file one after another.
final class ProvenanceFileReader {
  let header: ProvenanceHeader
  private let file: GzipFileReader
  private var buffer: ArraySlice<UInt8> = []
  private var pending: (number: Int64, line: [UInt8])?

  /// - Returns: nil for a file of another version.
  /// - Throws: errors of the file.
  init?(_ path: String) throws {
    file = try GzipFileReader(URL(filePath: path))
    guard let line = try Self.line(&buffer, file), let header = ProvenanceLine.header(line) else { return nil }
    self.header = header
  }

  /// Returns the line of a number; nil if there is none. Numbers of later calls must be greater.
  func line(of number: Int64) throws -> [UInt8]? {
    while true {
      if pending == nil {
        guard let line = try Self.line(&buffer, file) else { return nil }
        guard let found = ProvenanceLine.number(line) else { continue }
        pending = (found, line)
      }
      guard let row = pending, row.number <= number else { return nil }
      pending = nil
      if row.number == number { return row.line }
    }
  }

  /// Takes the next line with its end from the buffer, which is filled from the file.
  private static func line(_ buffer: inout ArraySlice<UInt8>, _ file: GzipFileReader) throws -> [UInt8]? {
    while true {
      if let end = buffer.firstIndex(of: 0x0A) {
        defer { buffer = buffer[(end + 1)...] }
        return Array(buffer[...end])
      }
      guard let more = try file.read() else { return nil }
      buffer = ArraySlice(buffer + more)
    }
  }
}
