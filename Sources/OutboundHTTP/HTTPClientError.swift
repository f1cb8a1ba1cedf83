// SPDX-License-Identifier: Apache-2.0

import CallerPack

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

public enum HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The URL's scheme is neither http nor https, or it has no host.
  case unsupportedAddress
  /// The connection failed or broke; with the system's reason.
  case connectionFailed(String)
  /// The server's certificate is not trusted, or is for another name.
  case untrusted
  /// The server sent nothing for too long.
  case silent
  case tookTooLong(Duration)
  /// The connection ended before the response did.
  case endedEarly
  /// The response violates HTTP.
  case malformed
  /// The body is compressed, though that was not requested; with the encoding.
  case encoded(String)
  /// The body is longer than the limit, in bytes.
  case tooLong(limit: Int)
  /// The server refused to continue an interrupted transfer.
  case rangeRefused
  /// The server returned an unexpected status; with the seconds to wait that it requests.
  case status(Int, retryAfter: Int? = nil)

  /// A clause with the cause, without a full stop.
  public var description: String {
    switch self {
    case .unsupportedAddress: "the address does not begin with http:// or https:// and a host"
    case .connectionFailed(let reason): "the connection failed: \(reason)"
    case .untrusted: "the connection failed: the server's certificate is not trusted, or not for this name"
    case .silent: "the server sent nothing for too long"
    case .tookTooLong(let limit): "the answer took longer than \(Int(limit / .seconds(1))) s"
    case .endedEarly: "the connection ended before the answer did"
    case .malformed: "the answer is not valid HTTP"
    case .encoded(let encoding): "answered with the encoding \(encoding), which was not asked for"
    case .tooLong(let limit): "the answer is longer than \(limit) bytes"
    case .rangeRefused: "the server does not send the rest of the file"
    case .status(let status, _):
      "answered with status \(status)" + ((300..<400).contains(status) ? ", a redirect that is not followed" : "")
    }
  }

  /// Whether the same request may succeed later.
  public var isTransient: Bool {
    switch self {
    case .connectionFailed, .silent, .tookTooLong, .endedEarly, .rangeRefused: true
    case .status(let status, _): status >= 500 || status == 429 || status == 408
    case .unsupportedAddress, .untrusted, .malformed, .encoded, .tooLong: false
    }
  }

  /// Seconds to wait that the server requests; nil when it requests none, or gives a date.
  public var retryAfter: Int? {
    guard case .status(_, let seconds) = self else { return nil }
    return seconds
  }

  /// - Parameters:
  ///   - code: of curl; its library and its program have the same.
  ///   - reason: the text for a code that has no case.
  ///   - hasSystemError: whether the reason is the system's.
  package init(curl code: Int, _ reason: String, hasSystemError: Bool, at url: URL) {
    self =
      switch code {
      case 6: .connectionFailed("there is no server named \(url.host ?? "")")
      case 28: .connectionFailed("nothing answered in time")
      case 3: .unsupportedAddress
      case 60: .untrusted
      // A part of the body, or nothing.
      case 18, 52: .endedEarly
      // Chunks; with TLS an end without notice, too.
      case 56 where !hasSystemError: WebOrigin(url)?.scheme == "http" ? .malformed : .endedEarly
      // Another version, a length that is no number, a line that is too long (since 8.6: 100).
      case 1, 8, 27, 100: .malformed
      default: .connectionFailed(reason)
      }
  }
}

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
  static func tookTooLong(seconds: Int64) -> Self
  /// The connection ended before the response did.
  static var endedEarly: Self { get }
  /// The response violates HTTP.
  static var malformedAnswer: Self { get }
  /// The response has an encoding that was not requested.
  static func unexpectedEncoding(encoding: String) -> Self
  static func answerTooLong(maximumBytes: Int) -> Self
  static func unexpectedStatus(status: Int) -> Self
}

extension OutboundFailure {
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
      case .encoded(let encoding): .unexpectedEncoding(encoding: encoding)
      case .tooLong(let limit): .answerTooLong(maximumBytes: limit)
      case .status(let status, _): .unexpectedStatus(status: status)
      }
  }
}
