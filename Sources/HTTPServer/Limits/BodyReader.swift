package import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore
import NIOHTTP1

/// Reads request bodies within their caps and within the memory there is.
package struct BodyReader: Sendable {
  /// What a body may hold.
  package enum Form {
    /// One object.
    case object
    /// An object; or, when it begins with a bracket, an array.
    case objectOrArray
    /// Many, whatever it begins with.
    case batch
  }

  /// The most bytes of one report: 500 characters of comment take 3,000 in escaped JSON.
  package static let objectLimit = 16_384
  /// The most bytes of a batch.
  package static let batchLimit = 1 << 20

  package let budget: BodyBudget

  package init(budget: BodyBudget) {
    self.budget = budget
  }

  /// Reads a body and works with it; until that is done its memory is counted.
  /// - Throws: ``Problem`` for a body that is too large, too slow or cut short, or when memory is short; and what `work`
  ///   throws.
  package func read<Result>(
    _ request: Request, _ form: Form, from network: ClientNetwork, work: (Data) async throws -> Result
  ) async throws -> Result {
    // What is packed small can be large.
    if let encoding = request.headers[.contentEncoding], encoding.lowercased() != "identity" {
      throw Problem.unsupportedEncoding
    }
    var taken = 0
    defer { budget.giveBack(taken, of: network) }
    let body = try await collect(request, form, from: network, taken: &taken)
    return try await work(Data(body.readableBytesView))
  }

  private func collect(
    _ request: Request, _ form: Form, from network: ClientNetwork, taken: inout Int
  ) async throws -> ByteBuffer {
    let length = request.headers[.contentLength].flatMap { Int($0) }
    var limit = form == .object ? Self.objectLimit : Self.batchLimit
    // A length that is told beforehand is refused before anything is read.
    if let length, length > limit { throw Problem.tooLarge(limit: limit) }
    var isUndecided = form == .objectOrArray
    if isUndecided { limit = Self.objectLimit }
    var body = ByteBuffer()
    var chunks = request.body.makeAsyncIterator()
    while let chunk = try await next(&chunks) {
      if isUndecided, let first = chunk.readableBytesView.first(where: { !Self.isSpace($0) }) {
        isUndecided = false
        if first == UInt8(ascii: "[") { limit = Self.batchLimit }
        if let length, length > limit { throw Problem.tooLarge(limit: limit) }
      }
      let total = body.readableBytes + chunk.readableBytes
      guard total <= limit else { throw Problem.tooLarge(limit: limit) }
      // Small bodies are bounded by the number of connections.
      if total > Self.objectLimit {
        guard budget.take(total - taken, for: network) else { throw Problem.busy }
        taken = total
      }
      body.writeImmutableBuffer(chunk)
    }
    // Where a connection is closed, the stream of its parts may end like a body that is whole.
    if let length, body.readableBytes < length { throw Problem.cutShort }
    return body
  }

  private func next(_ chunks: inout RequestBody.AsyncIterator) async throws -> ByteBuffer? {
    do {
      return try await chunks.next()
    } catch is SlowSender {
      throw Problem.tooSlow
    } catch let error as HTTPParserError {
      throw error
    } catch {
      throw Problem.cutShort
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
