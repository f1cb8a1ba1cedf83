// SPDX-License-Identifier: Apache-2.0

/// The reason why a source could not be refreshed. Its former entries stay.
public struct FeedFailure: CodedData, Error {
  /// The kinds of reasons.
  public enum Code: String, CaseIterable, Sendable {
    case answerTooLong = "answer_too_long"
    case cannotWrite = "cannot_write"
    case connectionFailed = "connection_failed"
    case damagedFile = "damaged_file"
    case endedEarly = "ended_early"
    case expandsTooFar = "expands_too_far"
    case invalidAddress = "invalid_address"
    case keyUnreadable = "key_unreadable"
    case keyWithoutHTTPS = "key_without_https"
    case malformedAnswer = "malformed_answer"
    case missingColumn = "missing_column"
    case noEntries = "no_entries"
    case notStored = "not_stored"
    case otherOrigin = "other_origin"
    case silent
    case tookTooLong = "took_too_long"
    case tooFewEntries = "too_few_entries"
    case tooManyEntries = "too_many_entries"
    case tooManyRejects = "too_many_rejects"
    case unexpectedEncoding = "unexpected_encoding"
    case unexpectedStatus = "unexpected_status"
    case unreadable
    case untrustedCertificate = "untrusted_certificate"
    case wrongType = "wrong_type"
    case xzMissing = "xz_missing"
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
  public static func answerTooLong(maximumBytes: Int) -> FeedFailure {
    FeedFailure(code: .answerTooLong, values: ["maximum_bytes": CodedValue(maximumBytes)])
  }

  /// The temporary file could not be written.
  /// - Parameter detail: the operating system's text.
  public static func cannotWrite(_ detail: String) -> FeedFailure {
    FeedFailure(code: .cannotWrite, values: ["detail": .foreign(detail)])
  }

  /// The connection failed or broke.
  /// - Parameter detail: the operating system's text.
  public static func connectionFailed(_ detail: String) -> FeedFailure {
    FeedFailure(code: .connectionFailed, values: ["detail": .foreign(detail)])
  }

  /// The compressed data is damaged or ends early.
  public static let damagedFile = FeedFailure(code: .damagedFile)
  /// The connection ended before the response did.
  public static let endedEarly = FeedFailure(code: .endedEarly)

  /// The compressed file is longer than allowed after decompression.
  public static func expandsTooFar(maximumBytes: Int) -> FeedFailure {
    FeedFailure(code: .expandsTooFar, values: ["maximum_bytes": CodedValue(maximumBytes)])
  }

  /// The URL is not an HTTP or HTTPS URL.
  public static let invalidAddress = FeedFailure(code: .invalidAddress)

  /// The file with the key cannot be read.
  public static func keyUnreadable(_ path: String) -> FeedFailure {
    FeedFailure(code: .keyUnreadable, values: ["path": .foreign(path)])
  }

  /// There is a key, and the URL is neither an HTTPS URL nor one of this machine.
  public static let keyWithoutHTTPS = FeedFailure(code: .keyWithoutHTTPS)

  /// The response violates HTTP.
  public static let malformedAnswer = FeedFailure(code: .malformedAnswer)

  /// The header of the file has no such column.
  public static func missingColumn(_ column: String) -> FeedFailure {
    FeedFailure(code: .missingColumn, values: ["column": .foreign(column)])
  }

  /// The file has no entry that can be read and is not left out.
  public static let noEntries = FeedFailure(code: .noEntries)

  /// The entries could not be stored completely; the next attempt continues.
  /// - Parameter detail: the reason, in English.
  public static func notStored(_ detail: String) -> FeedFailure {
    FeedFailure(code: .notStored, values: ["detail": .foreign(detail)])
  }

  /// The server redirects to another origin.
  public static let otherOrigin = FeedFailure(code: .otherOrigin)
  /// The server sent nothing for too long.
  public static let silent = FeedFailure(code: .silent)

  /// The response took longer than allowed.
  public static func tookTooLong(seconds: Int64) -> FeedFailure {
    FeedFailure(code: .tookTooLong, values: ["seconds": CodedValue(seconds)])
  }

  /// The complete list has less than half of the stored entries.
  public static func tooFewEntries(_ entries: Int, former: Int) -> FeedFailure {
    FeedFailure(code: .tooFewEntries, values: ["entries": CodedValue(entries), "former": CodedValue(former)])
  }

  /// The file has more entries than allowed, or more than twice as many rows.
  public static func tooManyEntries(maximum: Int) -> FeedFailure {
    FeedFailure(code: .tooManyEntries, values: ["maximum": CodedValue(maximum)])
  }

  /// Most entries of the file cannot be read.
  public static func tooManyRejects(rejected: Int, rows: Int) -> FeedFailure {
    FeedFailure(code: .tooManyRejects, values: ["rejected": CodedValue(rejected), "rows": CodedValue(rows)])
  }

  /// The response has an encoding that was not requested.
  public static func unexpectedEncoding(_ encoding: String) -> FeedFailure {
    FeedFailure(code: .unexpectedEncoding, values: ["encoding": .foreign(encoding)])
  }

  /// The status of the response is neither 200 nor 304.
  public static func unexpectedStatus(_ status: Int) -> FeedFailure {
    FeedFailure(code: .unexpectedStatus, values: ["status": "\(status)"])
  }

  /// The file cannot be read as the source's format.
  /// - Parameter detail: the reason, in English.
  public static func unreadable(_ detail: String) -> FeedFailure {
    FeedFailure(code: .unreadable, values: ["detail": .foreign(detail)])
  }

  /// The server's certificate is not trusted, or is for another name.
  public static let untrustedCertificate = FeedFailure(code: .untrustedCertificate)

  /// The response is of a type that is no list, such as a page.
  public static func wrongType(_ type: String) -> FeedFailure {
    FeedFailure(code: .wrongType, values: ["type": .foreign(type)])
  }

  /// The program xz is not installed.
  public static let xzMissing = FeedFailure(code: .xzMissing)
}
