// SPDX-License-Identifier: Apache-2.0

import CallerPack
import FileSupport
import Foundation

/// Downloads files of a publication with a size limit, retries with growing pauses, and continues interrupted
/// downloads.
struct PackDownloader: UpdateTransport {
  let transport: any ClientTransport
  /// The manifest's folder.
  let source: URL
  /// The app's key if the source is the server that knows it; otherwise nil.
  let key: String?
  let environment: ClientEnvironment

  private static let attempts = 4

  /// A failure that a retry may fix, with the seconds that the server requests.
  private struct RetryableFailure: Error {
    let asked: Double?
  }

  func document(_ path: String, limit: Int) async throws -> Data? {
    try await retrying {
      let (head, data) = try await transport.send(request(path), limit: limit)
      if let refusal = head.keyRefusal(hasKey: key != nil) { throw ClientError.key(refusal) }
      switch head.status {
      case 200: return data
      // An object store answers 403 for a missing file.
      case 403, 404, 410: return nil
      default: throw fault(head)
      }
    }
  }

  func missing(_ path: String) -> any Error { ClientError.status(404) }

  func isAboutFile(_ error: any Error) -> Bool {
    if case ClientError.status = error { true } else { false }
  }

  func file(_ path: String, bytes: Int, to target: String) async throws -> Bool {
    let partial = try ClientFiles.failing { () throws(FileFailure) in try PartialFile(target, limit: bytes) }
    let isNew = partial.length == 0
    while partial.length < bytes {
      let before = partial.length
      try await retrying { try await download(path, to: partial) }
      if partial.length == before { throw ClientError.network("The answer was empty.") }
    }
    return isNew
  }

  private func download(_ path: String, to partial: PartialFile) async throws {
    var request = request(path)
    let start = partial.length
    // No If-Range: a name is never used for another content, and the SHA-256 is checked in the end.
    if start > 0 { request.fields["Range"] = "bytes=\(start)-" }
    try await transport.send(request) { head in
      if let refusal = head.keyRefusal(hasKey: key != nil) { throw ClientError.key(refusal) }
      if (200..<300).contains(head.status) { try head.checkBody(limit: partial.limit) }
      switch head.status {
      case 200: try ClientFiles.failing { () throws(FileFailure) in try partial.restart() }
      case 206 where start > 0 && head["Content-Range"]?.hasPrefix("bytes \(start)-") == true: break
      default: throw fault(head)
      }
    } body: { data in
      guard try ClientFiles.failing({ () throws(FileFailure) in try partial.append(data) }) else {
        throw ClientError.network("The response is longer than announced.")
      }
    }
  }

  private func request(_ path: String) -> ClientRequest {
    ClientRequest(
      "GET", source.appendingPathComponent(path), fields: key.map { ["Authorization": "Bearer \($0)"] } ?? [:])
  }

  private func fault(_ head: ClientHead) -> any Error {
    head.status >= 500 || head.status == 429 || head.status == 408
      ? RetryableFailure(asked: head.retryAfter(at: environment.now())) : ClientError.status(head.status)
  }

  private func retrying<Result>(_ work: () async throws -> Result) async throws -> Result {
    var backoff = Backoff()
    while true {
      let asked: Double?
      do {
        return try await work()
      } catch let failure as RetryableFailure {
        asked = failure.asked
      } catch let error as ClientError {
        // Waiting fixes neither an error of a file nor a status.
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
      try await environment.sleep(seconds)
    }
  }
}
