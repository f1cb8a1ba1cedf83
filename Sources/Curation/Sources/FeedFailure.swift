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
    case expired
    case invalidAddress = "invalid_address"
    case keyUnreadable = "key_unreadable"
    case keyWithoutHTTPS = "key_without_https"
    case malformedAnswer = "malformed_answer"
    case missingColumn = "missing_column"
    case missingFile = "missing_file"
    case noEntries = "no_entries"
    case noEvidence = "no_evidence"
    case noPack = "no_pack"
    case notStored = "not_stored"
    case olderPublication = "older_publication"
    case onlyPatterns = "only_patterns"
    case otherOrigin = "other_origin"
    case otherServer = "other_server"
    case ownServer = "own_server"
    case privateAddress = "private_address"
    case rootExpired = "root_expired"
    case sameServer = "same_server"
    case silent
    case stillRemoving = "still_removing"
    case superseded
    case notRead = "not_read"
    case storedComplaints = "stored_complaints"
    case tookTooLong = "took_too_long"
    case tooManyChanges = "too_many_changes"
    case tooManyEntries = "too_many_entries"
    case tooManyRejects = "too_many_rejects"
    case unexpectedEncoding = "unexpected_encoding"
    case unexpectedStatus = "unexpected_status"
    case unreadable
    case unsupportedVersion = "unsupported_version"
    case untrustedCertificate = "untrusted_certificate"
    case untrustedKey = "untrusted_key"
    case wrongDigest = "wrong_digest"
    case wrongSignature = "wrong_signature"
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

  /// The file has patterns for too many numbers, which are not read, and no number.
  public static func onlyPatterns(_ patterns: Int) -> FeedFailure {
    FeedFailure(code: .onlyPatterns, values: ["patterns": CodedValue(patterns)])
  }

  /// The address is one of this machine or of a private network, and the source was added on a page.
  public static let privateAddress = FeedFailure(code: .privateAddress)
  /// The server redirects to another origin.
  public static let otherOrigin = FeedFailure(code: .otherOrigin)
  /// The server sent nothing for too long.
  public static let silent = FeedFailure(code: .silent)

  /// The list was not read completely yet, so that its stored entries are not all of its numbers.
  public static let notRead = FeedFailure(code: .notRead)

  /// A source of the name was removed, and its entries are still to be withdrawn.
  public static let stillRemoving = FeedFailure(code: .stillRemoving)
  /// A preview of a list with stored complaints that its file may not have.
  public static let storedComplaints = FeedFailure(code: .storedComplaints)

  /// The response took longer than allowed.
  public static func tookTooLong(seconds: Int64) -> FeedFailure {
    FeedFailure(code: .tookTooLong, values: ["seconds": CodedValue(seconds)])
  }

  /// The complete list adds or removes more entries than the source's settings allow.
  /// - Parameters:
  ///   - former: the stored entries.
  ///   - percent: the most changes, in percent of them.
  public static func tooManyChanges(added: Int, removed: Int, former: Int, percent: Int) -> FeedFailure {
    FeedFailure(
      code: .tooManyChanges,
      values: [
        "added": CodedValue(added), "removed": CodedValue(removed), "former": CodedValue(former),
        "most_percent": CodedValue(percent),
      ])
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

/// Reasons of subscriptions to other servers.
extension FeedFailure {
  /// The manifest has expired: its server makes no new publication, or somebody withholds it.
  public static let expired = FeedFailure(code: .expired)
  /// The newest root has expired.
  public static let rootExpired = FeedFailure(code: .rootExpired)

  /// There is no file at an address of the publication.
  public static func missingFile(_ address: String) -> FeedFailure {
    FeedFailure(code: .missingFile, values: ["address": .foreign(address)])
  }

  /// The publication has no pack of the name.
  public static func noPack(_ name: String) -> FeedFailure {
    FeedFailure(code: .noPack, values: ["pack": .foreign(name)])
  }

  /// The pack has no evidence file.
  public static func noEvidence(_ pack: String) -> FeedFailure {
    FeedFailure(code: .noEvidence, values: ["pack": .foreign(pack)])
  }

  /// The publication is older than one that was accepted before, or does not continue it.
  public static func olderPublication(_ serial: Int64, accepted: Int64) -> FeedFailure {
    FeedFailure(code: .olderPublication, values: ["serial": "\(serial)", "accepted": "\(accepted)"])
  }

  /// A document is not signed by trusted keys.
  public static func untrustedKey(_ keys: [String]) -> FeedFailure {
    FeedFailure(code: .untrustedKey, values: ["keys": .foreign(keys.joined(separator: ", "))])
  }

  /// A signature is wrong.
  public static let wrongSignature = FeedFailure(code: .wrongSignature)

  /// A file is not the one that the manifest names.
  public static func wrongDigest(_ path: String) -> FeedFailure {
    FeedFailure(code: .wrongDigest, values: ["path": .foreign(path)])
  }

  /// A document has a version that this program does not know.
  public static func unsupportedVersion(_ version: Int, known: Int) -> FeedFailure {
    FeedFailure(code: .unsupportedVersion, values: ["version": "\(version)", "known": "\(known)"])
  }

  /// The evidence file is one of another server.
  public static func otherServer(_ id: String) -> FeedFailure {
    FeedFailure(code: .otherServer, values: ["server": .foreign(id)])
  }

  /// Another source is a subscription to the same server.
  public static func sameServer(_ id: String, source: String) -> FeedFailure {
    FeedFailure(code: .sameServer, values: ["server": .foreign(id), "source": .foreign(source)])
  }

  /// Another process has read a newer publication meanwhile; the next attempt reads it again.
  public static let superseded = FeedFailure(code: .superseded)

  /// The publication is one of this server.
  public static let ownServer = FeedFailure(code: .ownServer)
}
