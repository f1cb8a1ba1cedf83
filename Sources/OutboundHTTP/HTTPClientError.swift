import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A request to another server that had no answer, or none that can be used.
public enum HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The address has another scheme than http and https, or no host.
  case unsupportedAddress
  /// The connection could not be made, or broke; the system's reason.
  case connectionFailed(String)
  /// The server has no certificate that is trusted and for its name.
  case untrusted
  /// The server sent nothing for too long.
  case silent
  /// The answer took longer than it may.
  case tookTooLong(Duration)
  /// The connection ended before the answer did.
  case endedEarly
  /// The answer breaks the rules of HTTP.
  case malformed
  /// The body is compressed, though that was not asked for; the encoding.
  case encoded(String)
  /// The body is longer than it may be, in bytes.
  case tooLong(limit: Int)
  /// The server refuses to send the rest of a file from where it broke off.
  case rangeRefused
  /// The server answered with another status than is needed; the seconds to wait that it asks for.
  case status(Int, retryAfter: Int? = nil)

  /// A clause that says what happened, without a full stop.
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

  /// Whether the same request may be answered better a little later.
  public var isTransient: Bool {
    switch self {
    case .connectionFailed, .silent, .tookTooLong, .endedEarly, .rangeRefused: true
    case .status(let status, _): status >= 500 || status == 429 || status == 408
    case .unsupportedAddress, .untrusted, .malformed, .encoded, .tooLong: false
    }
  }

  /// Seconds to wait that the server asks for; nil when it does not, or gives a date.
  public var retryAfter: Int? {
    guard case .status(_, let seconds) = self else { return nil }
    return seconds
  }

  /// The error that stands for one of the libraries below.
  static func translated(_ error: any Error) -> any Error {
    switch error {
    case is CancellationError: error
    case let error as AsyncHTTPClient.HTTPClientError: translated(error)
    case HTTPParserError.invalidEOFState, NIOSSLError.uncleanShutdown: endedEarly
    case is HTTPParserError, is NIOHTTPDecoderError: malformed
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: untrusted
    default: connectionFailed(reason(of: error))
    }
  }

  private static func translated(_ error: AsyncHTTPClient.HTTPClientError) -> any Error {
    switch error {
    case .cancelled: CancellationError()
    case .readTimeout: silent
    case .remoteConnectionClosed: endedEarly
    case .connectTimeout, .tlsHandshakeTimeout: connectionFailed("nothing answered in time")
    case .invalidURL, .emptyHost, .emptyScheme: unsupportedAddress
    default: connectionFailed(error.shortDescription)
    }
  }

  private static func reason(of error: any Error) -> String {
    switch error {
    case let error as IOError: String(cString: strerror(error.errnoCode))
    case let error as NIOConnectionError:
      error.connectionErrors.first.map { reason(of: $0.error) } ?? "there is no server named \(error.host)"
    case ChannelError.connectTimeout: "nothing answered in time"
    default: "\(error)"
    }
  }
}
