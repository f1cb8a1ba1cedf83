// SPDX-License-Identifier: Apache-2.0

/// The reason why a receiver did not get a message.
public struct WebhookFailure: CodedData {
  /// The kinds of reasons.
  public enum Code: String, CaseIterable, Sendable {
    case answerTooLong = "answer_too_long"
    case connectionFailed = "connection_failed"
    case endedEarly = "ended_early"
    case invalidAddress = "invalid_address"
    case malformedAnswer = "malformed_answer"
    case silent
    case tookTooLong = "took_too_long"
    case unexpectedEncoding = "unexpected_encoding"
    case unexpectedStatus = "unexpected_status"
    case untrustedCertificate = "untrusted_certificate"
  }

  /// The kind of reason.
  public let code: Code
  /// The values of the message by their names.
  public let values: [String: CodedValue]

  /// - Parameters: see the properties; the functions below make each code with its values.
  public init(code: Code, values: [String: CodedValue] = [:]) {
    self.code = code
    self.values = values
  }

  /// The response is longer than allowed.
  public static func answerTooLong(maximumBytes: Int) -> WebhookFailure {
    WebhookFailure(code: .answerTooLong, values: ["maximum_bytes": CodedValue(maximumBytes)])
  }

  /// The connection failed or broke.
  /// - Parameter detail: the operating system's text.
  public static func connectionFailed(_ detail: String) -> WebhookFailure {
    WebhookFailure(code: .connectionFailed, values: ["detail": .foreign(detail)])
  }

  /// The connection ended before the response did.
  public static let endedEarly = WebhookFailure(code: .endedEarly)
  /// The URL is not an HTTP or HTTPS URL.
  public static let invalidAddress = WebhookFailure(code: .invalidAddress)
  /// The response violates HTTP.
  public static let malformedAnswer = WebhookFailure(code: .malformedAnswer)
  /// The receiver sent nothing for too long.
  public static let silent = WebhookFailure(code: .silent)

  /// The response took longer than allowed.
  public static func tookTooLong(seconds: Int64) -> WebhookFailure {
    WebhookFailure(code: .tookTooLong, values: ["seconds": CodedValue(seconds)])
  }

  /// The response has an encoding that was not requested.
  public static func unexpectedEncoding(_ encoding: String) -> WebhookFailure {
    WebhookFailure(code: .unexpectedEncoding, values: ["encoding": .foreign(encoding)])
  }

  /// The status of the response is not 2xx.
  public static func unexpectedStatus(_ status: Int) -> WebhookFailure {
    WebhookFailure(code: .unexpectedStatus, values: ["status": "\(status)"])
  }

  /// The receiver's certificate is not trusted, or is for another name.
  public static let untrustedCertificate = WebhookFailure(code: .untrustedCertificate)
}
