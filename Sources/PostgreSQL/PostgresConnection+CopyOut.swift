// SPDX-License-Identifier: Apache-2.0

import CLibPQ

extension PostgresConnection {
  /// The rows of `COPY (…) TO STDOUT (FORMAT binary)`: the fastest way to read millions of rows, without parameters.
  ///
  /// The connection takes no other statement until the sequence ends or is dropped.
  /// - Parameter read: reads every column of a row, in order and as its exact type.
  public nonisolated func copyOut<Row: Sendable>(
    _ sql: String, read: @escaping @Sendable (inout PostgresTuple) throws -> Row
  ) -> PostgresRowStream<Row> {
    PostgresRowStream {
      let ticket = try await self.startCopyOut(sql)
      return StreamReader(ticket: ticket, status: self.status) {
        while let chunk = try await self.copyChunk(ticket, sql: sql) {
          let rows = try BinaryCopyDecoder.rows(of: chunk, read)
          if !rows.isEmpty { return rows }
        }
        return nil
      }
    }
  }

  private func startCopyOut(_ sql: String) async throws -> Int {
    try checkUnoccupied()
    cursorCount += 1
    let ticket = cursorCount
    try await perform(sql: sql) { link in
      let batch = try accept(PQexec(link.pointer, sql), on: link, sql: sql)
      guard batch.status == PGRES_COPY_OUT else { throw PostgresError(.misuse("the statement is no COPY TO STDOUT")) }
      occupation = .copyOut(ticket)
    }
    return ticket
  }

  /// About 128 KiB that end where a row does.
  private func copyChunk(_ ticket: Int, sql: String) async throws -> [UInt8]? {
    guard occupation == .copyOut(ticket) else { return nil }
    do {
      return try await perform(sql: sql) { link in
        var chunk: [UInt8] = []
        chunk.reserveCapacity(Self.copyChunkSize + 8_192)
        while chunk.count < Self.copyChunkSize {
          var buffer: UnsafeMutablePointer<CChar>?
          let count = PQgetCopyData(link.pointer, &buffer, 0)
          guard count > 0, let buffer else {
            occupation = nil
            _ = try finishCopy(on: link, sql: sql)
            break
          }
          chunk.append(contentsOf: UnsafeRawBufferPointer(start: buffer, count: Int(count)))
          PQfreemem(buffer)
        }
        return chunk.isEmpty ? nil : chunk
      }
    } catch {
      if occupation == .copyOut(ticket) { try? performWithoutCancellation { _ in try clearOccupation() } }
      throw error
    }
  }

  private static let copyChunkSize = 131_072
}
