// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Writes a file that is compressed with gzip. The same content gives the same bytes.
public final class GzipFileWriter {
  private let output: OutputFile
  private let stream: GzipStream

  /// - Parameter target: the file; it appears under its name when it is complete.
  /// - Throws: ``PackFormatError/file(path:operation:code:)``.
  public init(_ target: URL) throws {
    output = try OutputFile(.file(target))
    stream = try GzipStream(into: output)
  }

  /// Appends content.
  /// - Throws: ``PackFormatError/file(path:operation:code:)``.
  public func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try stream.write($0) }
  }

  /// Completes the file, flushes it to disk and renames it.
  /// - Throws: ``PackFormatError/file(path:operation:code:)``.
  public func finish() throws {
    try stream.finish()
    try output.commit()
  }
}
