// SPDX-License-Identifier: Apache-2.0

/// The reason of a failed request as a domain stores it.
public protocol OutboundFailure {
  /// The URL is not an HTTP or HTTPS URL.
  static var invalidAddress: Self { get }
  /// The connection failed or broke; with the operating system's text.
  static func connectionFailed(_ detail: String) -> Self
  /// The server's certificate is not trusted, or is for another name.
  static var untrustedCertificate: Self { get }
  /// The server sent nothing for too long.
  static var silent: Self { get }
  /// The response took longer than allowed.
  static func tookTooLong(seconds: Int64) -> Self
  /// The connection ended before the response did.
  static var endedEarly: Self { get }
  /// The response violates HTTP.
  static var malformedAnswer: Self { get }
  /// The response has an encoding that was not requested.
  static func unexpectedEncoding(_ encoding: String) -> Self
  /// The response is longer than allowed.
  static func answerTooLong(maximumBytes: Int) -> Self
  /// The response has an unexpected status.
  static func unexpectedStatus(_ status: Int) -> Self
}

extension OutboundFailure {
  /// The reason that corresponds to an error of a request.
  public init(_ error: HTTPClientError) {
    self =
      switch error {
      case .unsupportedAddress: .invalidAddress
      case .connectionFailed(let reason): .connectionFailed(reason)
      case .untrusted: .untrustedCertificate
      case .silent: .silent
      case .tookTooLong(let limit): .tookTooLong(seconds: limit.components.seconds)
      case .endedEarly: .endedEarly
      case .malformed, .rangeRefused: .malformedAnswer
      case .encoded(let encoding): .unexpectedEncoding(encoding)
      case .tooLong(let limit): .answerTooLong(maximumBytes: limit)
      case .status(let status, _): .unexpectedStatus(status)
      }
  }
}
