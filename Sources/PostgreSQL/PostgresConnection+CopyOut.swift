// SPDX-License-Identifier: Apache-2.0

import CLibPQ

extension PostgresConnection {
  /// The bytes of `COPY … TO STDOUT`, in chunks of about 128 KiB that end where rows do.
  ///
  /// The connection takes no other statement until the sequence ends or is dropped.
  public nonisolated func copyOut(_ sql: String) -> PostgresByteStream {
    PostgresByteStream {
      let ticket = try await self.startCopyOut(sql)
      return StreamReader(ticket: ticket, status: self.status) {
        try await self.copyChunk(ticket, sql: sql)
      }
    }
  }

  /// The rows of `COPY (…) TO STDOUT (FORMAT binary)`: the fastest way to read millions of rows, without parameters.
  ///
  /// Binary COPY contains neither types nor names: `decode` must read each column as its exact type.
  public nonisolated func copyOut<Row: Sendable>(
    _ sql: String, decode: @escaping @Sendable (PostgresRow) throws -> Row
  ) -> PostgresRowStream<Row> {
    PostgresRowStream {
      let ticket = try await self.startCopyOut(sql)
      let decoder = BinaryCopyDecoder()
      return StreamReader(ticket: ticket, status: self.status) {
        while let chunk = try await self.copyChunk(ticket, sql: sql) {
          let batch = try decoder.batch(of: chunk)
          if batch.rowCount > 0 { return try batch.decodeAll(decode) }
        }
        return nil
      }
    }
  }

  /// The same for rows with fixed columns, of which `read` reads every one.
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
