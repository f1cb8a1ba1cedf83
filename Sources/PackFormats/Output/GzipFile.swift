// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Compresses files.
public enum GzipFile {
  /// Compresses a file with gzip. The same content gives the same bytes.
  ///
  /// - Parameters:
  ///   - source: the file to read.
  ///   - target: the file to write; it appears under its name when it is complete.
  /// - Throws: ``PackFormatError/file(path:operation:code:)``, or an error of Foundation for an unreadable source.
  public static func compress(_ source: URL, to target: URL) throws {
    let input = try FileHandle(forReadingFrom: source)
    defer { try? input.close() }
    let output = try OutputFile(.file(target))
    let stream = try GzipStream(into: output)
    while let piece = try input.read(upToCount: 256 << 10), !piece.isEmpty {
      try piece.withUnsafeBytes { try stream.write($0) }
    }
    try stream.finish()
    try output.commit()
  }
}
