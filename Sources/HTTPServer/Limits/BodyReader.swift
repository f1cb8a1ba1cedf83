// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore
import NIOHTTP1
import Synchronization

/// Reads request bodies within their size limits and the memory budget.
package struct BodyReader: Sendable {
  package enum Form {
    case object
    /// An object, or an array if it begins with a bracket.
    case objectOrArray
    /// Several objects, regardless of the first character.
    case batch
    /// One object of a system that wraps the app's data.
    case envelope
    /// A file of many rows.
    case file
  }

  /// Maximum bytes of one report: 500 characters of comment take 3,000 in escaped JSON.
  package static let objectLimit = 16_384
  /// Maximum bytes of an envelope.
  static let envelopeLimit = 65_536
  /// Maximum bytes of a batch.
  static let batchLimit = 1 << 20
  /// Maximum bytes of a file: 100,000 rows of 160 bytes, and what one network may use.
  static let fileLimit = 16 << 20

  package let budget: BodyBudget

  package init(budget: BodyBudget) {
    self.budget = budget
  }

  /// Reads a body and passes it to `work`. Its memory stays reserved until `work` ends.
  /// - Throws: ``Problem`` for a body that is too large, too slow or incomplete, or if the memory budget is exhausted;
  ///   and the errors of `work`.
  package func read<Result>(
    _ request: Request, _ form: Form, context: ServerRequestContext, work: (Data) async throws -> Result
  ) async throws -> Result {
    // A small compressed body can be large after decompression.
    if let encoding = request.headers[.contentEncoding], encoding.lowercased() != "identity" {
      throw Problem.unsupportedEncoding
    }
    let network = context.network
    var taken = 0
    defer { budget.giveBack(taken, of: network) }
    let body = try await collect(request, form, context, taken: &taken)
    return try await work(Data(body.readableBytesView))
  }

  /// Reads a short body. Its memory is bounded by the number of connections.
  /// - Parameter limit: maximum bytes.
  /// - Throws: ``Problem`` for a body that is too large, too slow or incomplete.
  static func readShort(
    _ request: Request, limit: Int, context: ServerRequestContext
  ) async throws -> ByteBuffer {
    let length = request.headers[.contentLength].flatMap { Int($0) }
    if let length, length > limit { throw Problem.tooLarge(limit: limit) }
    askForBody(request, context)
    var body = ByteBuffer()
    var chunks = request.body.makeAsyncIterator()
    while let chunk = try await next(&chunks) {
      guard body.readableBytes + chunk.readableBytes <= limit else { throw Problem.tooLarge(limit: limit) }
      body.writeImmutableBuffer(chunk)
    }
    if let length, body.readableBytes < length { throw Problem.cutShort }
    return body
  }

  /// Tells a client that sent `Expect` to send the body.
  private static func askForBody(_ request: Request, _ context: ServerRequestContext) {
    guard request.headers[.expect] != nil else { return }
    context.channel.triggerUserOutboundEvent(BodyWanted(), promise: nil)
  }

  private func collect(
    _ request: Request, _ form: Form, _ context: ServerRequestContext, taken: inout Int
  ) async throws -> ByteBuffer {
    let length = request.headers[.contentLength].flatMap { Int($0) }
    var limit =
      switch form {
      case .object: Self.objectLimit
      case .envelope: Self.envelopeLimit
      case .objectOrArray, .batch: Self.batchLimit
      case .file: Self.fileLimit
      }
    // An announced length that is too large is refused before anything is read.
    if let length, length > limit { throw Problem.tooLarge(limit: limit) }
    var isUndecided = form == .objectOrArray
    if isUndecided { limit = Self.objectLimit }
    Self.askForBody(request, context)
    var body = ByteBuffer()
    var chunks = request.body.makeAsyncIterator()
    while let chunk = try await Self.next(&chunks) {
      if isUndecided, let first = chunk.readableBytesView.first(where: { !Self.isSpace($0) }) {
        isUndecided = false
        if first == UInt8(ascii: "[") { limit = Self.batchLimit }
        if let length, length > limit { throw Problem.tooLarge(limit: limit) }
      }
      let total = body.readableBytes + chunk.readableBytes
      guard total <= limit else { throw Problem.tooLarge(limit: limit) }
      // Small bodies are bounded by the number of connections.
      if total > Self.objectLimit {
        guard budget.take(total - taken, for: context.network) else { throw Problem.busy }
        taken = total
      }
      body.writeImmutableBuffer(chunk)
    }
    // If a connection is closed, the stream may end like the stream of a complete body.
    if let length, body.readableBytes < length { throw Problem.cutShort }
    return body
  }

  private static func next(_ chunks: inout RequestBody.AsyncIterator) async throws -> ByteBuffer? {
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

/// Memory for request bodies: a limit for all, and a quarter of it for one network.
///
/// Bytes are counted when they arrive, so that an announced length reserves no memory.
package final class BodyBudget: Sendable {
  private struct State {
    var taken = 0
    var byNetwork: [ClientNetwork: Int] = [:]
  }

  private let limit: Int
  private let state = Mutex(State())

  /// - Parameter limit: bytes.
  package init(limit: Int) {
    self.limit = limit
  }

  /// - Returns: false if a limit is reached; nothing is reserved then.
  package func take(_ bytes: Int, for network: ClientNetwork) -> Bool {
    state.withLock { state in
      let share = state.byNetwork[network, default: 0] + bytes
      guard state.taken + bytes <= limit, share <= limit / 4 else { return false }
      state.taken += bytes
      state.byNetwork[network] = share
      return true
    }
  }

  package func giveBack(_ bytes: Int, of network: ClientNetwork) {
    guard bytes > 0 else { return }
    state.withLock { state in
      state.taken -= bytes
      let share = state.byNetwork[network, default: 0] - bytes
      state.byNetwork[network] = share > 0 ? share : nil
    }
  }

  /// Reserved bytes.
  package var taken: Int { state.withLock { $0.taken } }
}
