// SPDX-License-Identifier: Apache-2.0

import NIOCore

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
  package var bytesPerSecond: Int
  /// The time between requests.
  package var idle: Duration
  /// The time that a response may wait for a client that does not read.
  package var stalledAnswer: Duration
  /// The time that a connection closed by the server stays open for reading, so that the client gets the response.
  package var linger: Duration

  /// - Parameters: see the properties.
  package init(
    headers: Duration = .seconds(10), body: Duration = .seconds(10), bytesPerSecond: Int = 4_096,
    idle: Duration = .seconds(60), stalledAnswer: Duration = .seconds(60), linger: Duration = .seconds(2)
  ) {
    self.headers = headers
    self.body = body
    self.bytesPerSecond = bytesPerSecond
    self.idle = idle
    self.stalledAnswer = stalledAnswer
    self.linger = linger
  }

  /// The maximum time for receiving this many bytes of a body.
  package func patience(bytes: Int) -> Duration {
    body + .milliseconds(bytes * 1_000 / max(1, bytesPerSecond))
  }
}
