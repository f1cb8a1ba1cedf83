// SPDX-License-Identifier: Apache-2.0

/// The bytes of a `COPY … TO STDOUT`, in chunks.
public struct PostgresByteStream: AsyncSequence, Sendable {
  /// A chunk.
  public typealias Element = [UInt8]

  let open: @Sendable () async throws -> StreamReader<UInt8>

  /// Starts the COPY.
  public func makeAsyncIterator() -> PostgresRowStream<UInt8>.Batches.AsyncIterator {
    PostgresRowStream<UInt8>.Batches.AsyncIterator(open: open)
  }
}
