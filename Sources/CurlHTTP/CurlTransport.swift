// SPDX-License-Identifier: Apache-2.0

import Foundation
public import OutboundHTTP
import ServerSupport
import Synchronization

extension OutboundHTTP {
  /// Opens a client for as long as `body` runs, and then closes its connections. It has no proxy.
  /// - Parameters:
  ///   - idle: the longest time without data from the server.
  ///   - addresses: the address to connect to for each host, as it is written in URLs; other hosts are refused. Nil to
  ///     resolve hosts. Certificates are checked for the host.
  public static func withClient<Result>(
    idle: Duration = .seconds(30), addresses: [String: String]? = nil, _ body: (OutboundHTTP) async throws -> Result
  ) async throws -> Result {
    try await body(OutboundHTTP(CurlTransport(idle: idle, addresses: addresses)))
  }
}

/// Requests by libcurl, each on a thread.
final class CurlTransport: OutboundTransport {
  /// The most transfers of this process at once: each has a thread, and a second while a host is resolved. Jobs have
  /// at most about 25; strangers can cause more, by sign-ins with an identity provider.
  private static let maxTransfers = 64
  private static let running = Atomic(0)

  let idle: Duration
  /// The addresses to connect to, by host; nil where hosts are resolved.
  let addresses: [String: String]?
  private let unused = Mutex<[Transfer]>([])

  init(idle: Duration, addresses: [String: String]?) { (self.idle, self.addresses) = (idle, addresses) }

  func exchange(
    _ request: OutboundRequest, limit: Int, total: Duration,
    head: @escaping @Sendable (OutboundResponse) throws -> Void, body: @escaping @Sendable (Data) throws -> Void
  ) async throws -> OutboundResponse {
    defer { Self.running.subtract(1, ordering: .relaxed) }
    guard Self.running.add(1, ordering: .relaxed).newValue <= Self.maxTransfers else {
      throw HTTPClientError.connectionFailed("\(Self.maxTransfers) requests to other servers already run")
    }
    let (transfer, cancellation) = (unused.withLock { $0.popLast() } ?? Transfer(), CancellationFlag())
    return try await withTaskCancellationHandler {
      try await runOnThread {
        let answer = try transfer.run(
          request, self, cancellation, limit: limit, total: total, head: head, body: body)
        self.unused.withLock { $0.append(transfer) }
        return answer
      }
    } onCancel: {
      cancellation.set()
      transfer.wake()
    }
  }
}
