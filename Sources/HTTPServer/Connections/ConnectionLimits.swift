// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// Time limits of a connection.
///
/// A phone on a bad network sends a report, about 500 bytes, within one or two seconds; the limit is ten. Longer bodies
/// get one second more for every 4 KiB received, so a full batch of 1 MB may take up to four and a half minutes.
package struct ConnectionLimits: Sendable {
  /// The time from a request's first byte to the end of its headers.
  package var headers: Duration
  /// The time from the headers to the end of the body, plus the time granted for the body's length.
  package var body: Duration
  /// Received bytes that grant one second more.
  var bytesPerSecond: Int
  /// The time until the first byte of a new connection, at most ``idle``.
  package var firstByte: Duration
  /// The time between requests.
  package var idle: Duration
  /// The time that a response may wait for a client that does not read.
  var stalledAnswer: Duration
  /// The time that a connection closed by the server stays open for reading, so that the client gets the response.
  var linger: Duration

  package init(
    headers: Duration = .seconds(10), body: Duration = .seconds(10), bytesPerSecond: Int = 4_096,
    firstByte: Duration = .seconds(5), idle: Duration = .seconds(60), stalledAnswer: Duration = .seconds(60),
    linger: Duration = .seconds(2)
  ) {
    self.headers = headers
    self.body = body
    self.bytesPerSecond = bytesPerSecond
    self.firstByte = firstByte
    self.idle = idle
    self.stalledAnswer = stalledAnswer
    self.linger = linger
  }

  /// The maximum time for receiving this many bytes of a body.
  package func patience(bytes: Int) -> Duration {
    body + .milliseconds(bytes * 1_000 / max(1, bytesPerSecond))
  }
}

/// Whether the server accepts new work; changes to stopping before the server closes.
package final class Readiness: Sendable {
  private let stopping = Atomic(false)

  package init() {}

  /// Makes `/readyz` fail and closes connections after their next response. Requests are still answered.
  package func stop() { stopping.store(true, ordering: .releasing) }

  package var isStopping: Bool { stopping.load(ordering: .acquiring) }
}
