import NIOCore

/// How long a connection may take over what.
///
/// A phone on a bad network sends a report, some 500 bytes, within a second or two; ten are allowed. Longer bodies have
/// a second more for every 4 KiB that arrive, so that a full batch of 1 MB may take four and a half minutes on a line
/// that carries it, and no body can be stretched beyond that.
package struct ConnectionLimits: Sendable {
  /// From a request's first byte to the end of its headers.
  package var headers: Duration
  /// From the headers to the end of the body, beside what the body's length grants.
  package var body: Duration
  /// Bytes that grant a second more.
  package var bytesPerSecond: Int
  /// Between requests.
  package var idle: Duration
  /// How long an answer may wait for a client that does not read.
  package var stalledAnswer: Duration
  /// How long a connection that we close waits for the client to have read why.
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

  /// How long a body may have taken of which this much has arrived.
  package func patience(bytes: Int) -> Duration {
    body + .milliseconds(bytes * 1_000 / max(1, bytesPerSecond))
  }
}
