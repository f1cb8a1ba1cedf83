import CallerPack
import Foundation

/// Gets files of a publication: bounded, tried again with growing pauses, gone on with where they broke off.
struct PackDownloader: Sendable {
  let transport: any ClientTransport
  /// The manifest's folder.
  let source: URL
  /// The app's key, where the source is the server that knows it.
  let key: String?
  let environment: ClientEnvironment

  private static let attempts = 4

  /// Not now; seconds that the server asks for.
  private struct Later: Error {
    let asked: Double?
  }

  /// A short file; nil when there is none.
  func document(_ path: String, limit: Int) async throws -> Data? {
    try await retrying {
      let (head, data) = try await transport.send(request(path), limit: limit)
      if let refusal = head.keyRefusal(isBorne: key != nil) { throw ClientError.key(refusal) }
      switch head.status {
      case 200: return data
      // An object store says 403 of what is not there.
      case 403, 404, 410: return nil
      default: throw fault(head)
      }
    }
  }

  /// A file of known length; goes on with what is there already. It is not flushed to the disk.
  /// - Returns: whether it was begun from nothing: only then a wrong content is the sender's.
  @discardableResult
  func file(_ path: String, bytes: Int, to target: String) async throws -> Bool {
    let sink = try SinkFile(target, limit: bytes)
    let isNew = sink.length == 0
    while sink.length < bytes {
      let before = sink.length
      try await retrying { try await part(path, sink) }
      if sink.length == before { throw ClientError.network("The answer was empty.") }
    }
    return isNew
  }

  private func part(_ path: String, _ sink: SinkFile) async throws {
    var request = request(path)
    let start = sink.length
    // No If-Range: the name is never used again, and the SHA-256 tells in the end.
    if start > 0 { request.fields["Range"] = "bytes=\(start)-" }
    try await transport.send(request) { head in
      if let refusal = head.keyRefusal(isBorne: key != nil) { throw ClientError.key(refusal) }
      if (200..<300).contains(head.status) { try head.checkBody(limit: sink.limit) }
      switch head.status {
      case 200: try sink.restart()
      case 206 where start > 0 && head["Content-Range"]?.hasPrefix("bytes \(start)-") == true: break
      default: throw fault(head)
      }
    } body: { data in
      try sink.append(data)
    }
  }

  private func request(_ path: String) -> ClientRequest {
    ClientRequest(
      "GET", source.appending(path: path), fields: key.map { ["Authorization": "Bearer \($0)"] } ?? [:])
  }

  private func fault(_ head: ClientHead) -> any Error {
    head.status >= 500 || head.status == 429 || head.status == 408
      ? Later(asked: head.retryAfter(at: environment.now())) : ClientError.status(head.status)
  }

  private func retrying<Result>(_ work: () async throws -> Result) async throws -> Result {
    var backoff = Backoff()
    while true {
      let asked: Double?
      do {
        return try await work()
      } catch let later as Later {
        asked = later.asked
      } catch let error as ClientError {
        // A file or a status is not solved by waiting.
        guard case .network = error else { throw error }
        asked = nil
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        asked = nil
      }
      let seconds = backoff.fail(asked: asked, chance: environment.chance())
      guard backoff.failures < Self.attempts, seconds <= 60 else {
        throw ClientError.network("The publication cannot be fetched now.")
      }
      try await environment.sleep(.seconds(seconds))
    }
  }
}
