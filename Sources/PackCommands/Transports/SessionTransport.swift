// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Foundation
  import OutboundHTTP
  import RingfenceClient
  import Synchronization

  typealias PlatformTransport = SessionTransport

  /// Requests by URLSession, with the proxies and the certificates of the system.
  struct SessionTransport: OutboundTransport {
    /// Ends a transfer whose body is not read.
    private struct UnneededBody: Error {}

    func exchange(
      _ request: OutboundRequest, limit: Int, total: Duration,
      head: @escaping @Sendable (OutboundResponse) throws -> Void, body: @escaping @Sendable (Data) throws -> Void
    ) async throws -> OutboundResponse {
      let answer = Mutex<OutboundResponse?>(nil)
      let content = Mutex(0)
      do {
        try await URLSessionTransport(whole: max(0, total / .seconds(1))).send(
          ClientRequest(request.method, request.url, fields: request.fields, body: request.body)
        ) { found in
          let response = Self.response(found)
          answer.withLock { $0 = response }
          guard response.isSuccess else { throw UnneededBody() }
          try response.checkBody(limit: limit)
          try head(response)
        } body: { data in
          let count = content.withLock { content in
            content += data.count
            return content
          }
          guard count <= limit else { throw HTTPClientError.tooLong(limit: limit) }
          try body(data)
        }
      } catch is UnneededBody {
        // The head is the answer.
      } catch ClientError.network(let reason) {
        throw HTTPClientError.connectionFailed(reason)
      }
      guard let answer = answer.withLock({ $0 }) else { throw HTTPClientError.endedEarly }
      return answer
    }

    /// The fields that the download reads.
    private static func response(_ found: ClientHead) -> OutboundResponse {
      let names = [
        "Content-Encoding", "Content-Length", "Content-Range", "Content-Type", "ETag", "Location", "Retry-After",
        "Transfer-Encoding",
      ]
      return OutboundResponse(
        status: found.status, fields: names.compactMap { name in found[name].map { (name: name, value: $0) } })
    }
  }
#endif
