// SPDX-License-Identifier: Apache-2.0

import CZlib
import Curation
import Foundation
import Testing

@testable import Importing

/// A test's own folder, removed with this object.
final class Scratch {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("importing-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Writes a file and returns its path.
  func file(_ bytes: some Sequence<UInt8>, name: String = "file") throws -> String {
    try Data(bytes).write(to: folder.appendingPathComponent(name))
    return path(name)
  }

  func file(_ text: String, name: String = "file") throws -> String { try file(text.utf8, name: name) }
}

extension ImportSummary {
  /// Rejected rows by reason.
  var rejected: [RejectReason: Int] { rejects.byReason }
  /// Rows rejected for any reason.
  var rejectedRows: Int { rejects.count }
}

extension DirectorySummary {
  /// Rejected rows by reason.
  var rejected: [RejectReason: Int] { rejects.byReason }
  /// Rows rejected for any reason.
  var rejectedRows: Int { rejects.count }
}

extension RejectedRows {
  fileprivate var byReason: [RejectReason: Int] {
    Dictionary(uniqueKeysWithValues: reasons.map { (RejectReason(rawValue: $0)!, $1) })
  }
}

/// One gzip member.
func gzip(_ bytes: some Sequence<UInt8>) -> [UInt8] {
  var input = Array(bytes)
  var output = [UInt8](repeating: 0, count: input.count + input.count / 100 + 100)
  var stream = z_stream()
  deflateInit2_(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
  defer { deflateEnd(&stream) }
  let inputCount = UInt32(input.count)
  input.withUnsafeMutableBufferPointer { source in
    output.withUnsafeMutableBufferPointer { target in
      stream.next_in = source.baseAddress
      stream.avail_in = inputCount
      stream.next_out = target.baseAddress
      stream.avail_out = UInt32(target.count)
      deflate(&stream, Z_FINISH)
    }
  }
  return Array(output.prefix(Int(stream.total_out)))
}

/// A sink that keeps its rows and recognizes repeated ids.
actor MemorySink {
  private(set) var rows: [ParsedComplaint] = []
  private(set) var batches: [Int] = []
  private var ids: Set<UUID> = []

  func take(_ batch: [ParsedComplaint]) -> SinkResult {
    batches.append(batch.count)
    rows.append(contentsOf: batch)
    let inserted = batch.count { ids.insert($0.reportID).inserted }
    return SinkResult(inserted: inserted, duplicates: batch.count - inserted)
  }
}

/// Imports a text and returns the rows and the summary.
func runImport(
  _ text: String, format: ComplaintFormat, sink: MemorySink = MemorySink(),
  change: (inout ImportOptions) -> Void = { _ in }
) async throws -> (rows: [ParsedComplaint], summary: ImportSummary) {
  let scratch = try Scratch()
  var options = ImportOptions(path: try scratch.file(text), format: format)
  change(&options)
  let summary = try await ImportPipeline(options: options).run { await sink.take($0) }
  return (await sink.rows, summary)
}
