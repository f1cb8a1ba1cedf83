// SPDX-License-Identifier: Apache-2.0

/// The reason why a receiver did not get a message.
public enum DeliveryFailure: CodedData {
  public enum CodingKeys: MessageCode {
    case answerTooLong, connectionFailed, endedEarly, invalidAddress, mailFailed, malformedAnswer, noMailServer
    case silent, tookTooLong
    case unexpectedEncoding, unexpectedStatus, untrustedCertificate
  }

  case answerTooLong(maximumBytes: Int)
  case connectionFailed(String)
  /// The connection ended before the response did.
  case endedEarly
  /// The URL is not an HTTP or HTTPS URL.
  case invalidAddress
  /// The mail server or program refused the message or could not be reached.
  case mailFailed(String)
  /// The response violates HTTP.
  case malformedAnswer
  /// No setting says how mail is sent.
  case noMailServer
  /// The receiver sent nothing for too long.
  case silent
  case tookTooLong(seconds: Int64)
  case unexpectedEncoding(encoding: String)
  /// The status of the response is not 2xx.
  case unexpectedStatus(status: Int)
  /// The receiver's certificate is not trusted, or is for another name.
  case untrustedCertificate
}
