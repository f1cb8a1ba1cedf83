// SPDX-License-Identifier: Apache-2.0

/// The reason why a source could not be refreshed. Its former entries stay.
public struct SourceFailure: CodedData, Error {
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
  public static func answerTooLong(maximumBytes: Int) -> SourceFailure {
    SourceFailure(code: .answerTooLong, values: ["maximum_bytes": CodedValue(maximumBytes)])
  }

  /// The temporary file could not be written.
  /// - Parameter detail: the operating system's text.
  public static func cannotWrite(_ detail: String) -> SourceFailure {
    SourceFailure(code: .cannotWrite, values: ["detail": .foreign(detail)])
  }

  /// The connection failed or broke.
  /// - Parameter detail: the operating system's text.
  public static func connectionFailed(_ detail: String) -> SourceFailure {
    SourceFailure(code: .connectionFailed, values: ["detail": .foreign(detail)])
  }

  /// The compressed data is damaged or ends early.
  public static let damagedFile = SourceFailure(code: .damagedFile)
  /// The connection ended before the response did.
  public static let endedEarly = SourceFailure(code: .endedEarly)

  /// The compressed file is longer than allowed after decompression.
  public static func expandsTooFar(maximumBytes: Int) -> SourceFailure {
    SourceFailure(code: .expandsTooFar, values: ["maximum_bytes": CodedValue(maximumBytes)])
  }

  /// The URL is not an HTTP or HTTPS URL.
  public static let invalidAddress = SourceFailure(code: .invalidAddress)

  /// The file with the key cannot be read.
  public static func keyUnreadable(_ path: String) -> SourceFailure {
    SourceFailure(code: .keyUnreadable, values: ["path": .foreign(path)])
  }

  /// There is a key, and the URL is neither an HTTPS URL nor one of this machine.
  public static let keyWithoutHTTPS = SourceFailure(code: .keyWithoutHTTPS)

  /// The response violates HTTP.
  public static let malformedAnswer = SourceFailure(code: .malformedAnswer)

  /// The header of the file has no such column.
  public static func missingColumn(_ column: String) -> SourceFailure {
    SourceFailure(code: .missingColumn, values: ["column": .foreign(column)])
  }

  /// The file has no entry that can be read and is not left out.
  public static let noEntries = SourceFailure(code: .noEntries)

  /// The entries could not be stored completely; the next attempt continues.
  /// - Parameter detail: the reason, in English.
  public static func notStored(_ detail: String) -> SourceFailure {
    SourceFailure(code: .notStored, values: ["detail": .foreign(detail)])
  }

  /// The file has patterns for too many numbers, which are not read, and no number.
  public static func onlyPatterns(_ patterns: Int) -> SourceFailure {
    SourceFailure(code: .onlyPatterns, values: ["patterns": CodedValue(patterns)])
  }

  /// The address is one of this machine or of a private network, and the source was added on a page.
  public static let privateAddress = SourceFailure(code: .privateAddress)
  /// The server redirects to another origin.
  public static let otherOrigin = SourceFailure(code: .otherOrigin)
  /// The server sent nothing for too long.
  public static let silent = SourceFailure(code: .silent)

  /// The list was not read completely yet, so that its stored entries are not all of its numbers.
  public static let notRead = SourceFailure(code: .notRead)

  /// A source of the name was removed, and its entries are still to be withdrawn.
  public static let stillRemoving = SourceFailure(code: .stillRemoving)
  /// A preview of a list with stored complaints that its file may not have.
  public static let storedComplaints = SourceFailure(code: .storedComplaints)

  /// The response took longer than allowed.
  public static func tookTooLong(seconds: Int64) -> SourceFailure {
    SourceFailure(code: .tookTooLong, values: ["seconds": CodedValue(seconds)])
  }

  /// The complete list adds or removes more entries than the source's settings allow.
  /// - Parameters:
  ///   - former: the stored entries.
  ///   - percent: the most changes, in percent of them.
  public static func tooManyChanges(added: Int, removed: Int, former: Int, percent: Int) -> SourceFailure {
    SourceFailure(
      code: .tooManyChanges,
      values: [
        "added": CodedValue(added), "removed": CodedValue(removed), "former": CodedValue(former),
        "most_percent": CodedValue(percent),
      ])
  }

  /// The file has more entries than allowed, or more than twice as many rows.
  public static func tooManyEntries(maximum: Int) -> SourceFailure {
    SourceFailure(code: .tooManyEntries, values: ["maximum": CodedValue(maximum)])
  }

  /// Most entries of the file cannot be read.
  public static func tooManyRejects(rejected: Int, rows: Int) -> SourceFailure {
    SourceFailure(code: .tooManyRejects, values: ["rejected": CodedValue(rejected), "rows": CodedValue(rows)])
  }

  /// The response has an encoding that was not requested.
  public static func unexpectedEncoding(_ encoding: String) -> SourceFailure {
    SourceFailure(code: .unexpectedEncoding, values: ["encoding": .foreign(encoding)])
  }

  /// The status of the response is neither 200 nor 304.
  public static func unexpectedStatus(_ status: Int) -> SourceFailure {
    SourceFailure(code: .unexpectedStatus, values: ["status": "\(status)"])
  }

  /// The file cannot be read as the source's format.
  /// - Parameter detail: the reason, in English.
  public static func unreadable(_ detail: String) -> SourceFailure {
    SourceFailure(code: .unreadable, values: ["detail": .foreign(detail)])
  }

  /// The server's certificate is not trusted, or is for another name.
  public static let untrustedCertificate = SourceFailure(code: .untrustedCertificate)

  /// The response is of a type that is no list, such as a page.
  public static func wrongType(_ type: String) -> SourceFailure {
    SourceFailure(code: .wrongType, values: ["type": .foreign(type)])
  }

  /// The program xz is not installed.
  public static let xzMissing = SourceFailure(code: .xzMissing)
}

/// Reasons of subscriptions to other servers.
extension SourceFailure {
  /// The manifest has expired: its server makes no new publication, or somebody withholds it.
  public static let expired = SourceFailure(code: .expired)
  /// The newest root has expired.
  public static let rootExpired = SourceFailure(code: .rootExpired)

  /// There is no file at an address of the publication.
  public static func missingFile(_ address: String) -> SourceFailure {
    SourceFailure(code: .missingFile, values: ["address": .foreign(address)])
  }

  /// The publication has no pack of the name.
  public static func noPack(_ name: String) -> SourceFailure {
    SourceFailure(code: .noPack, values: ["pack": .foreign(name)])
  }

  /// The pack has no evidence file.
  public static func noEvidence(_ pack: String) -> SourceFailure {
    SourceFailure(code: .noEvidence, values: ["pack": .foreign(pack)])
  }

  /// The publication is older than one that was accepted before, or does not continue it.
  public static func olderPublication(_ serial: Int64, accepted: Int64) -> SourceFailure {
    SourceFailure(code: .olderPublication, values: ["serial": "\(serial)", "accepted": "\(accepted)"])
  }

  /// A document is not signed by trusted keys.
  public static func untrustedKey(_ keys: [String]) -> SourceFailure {
    SourceFailure(code: .untrustedKey, values: ["keys": .foreign(keys.joined(separator: ", "))])
  }

  /// A signature is wrong.
  public static let wrongSignature = SourceFailure(code: .wrongSignature)

  /// A file is not the one that the manifest names.
  public static func wrongDigest(_ path: String) -> SourceFailure {
    SourceFailure(code: .wrongDigest, values: ["path": .foreign(path)])
  }

  /// A document has a version that this program does not know.
  public static func unsupportedVersion(_ version: Int, known: Int) -> SourceFailure {
    SourceFailure(code: .unsupportedVersion, values: ["version": "\(version)", "known": "\(known)"])
  }

  /// The evidence file is one of another server.
  public static func otherServer(_ id: String) -> SourceFailure {
    SourceFailure(code: .otherServer, values: ["server": .foreign(id)])
  }

  /// Another source is a subscription to the same server.
  public static func sameServer(_ id: String, source: String) -> SourceFailure {
    SourceFailure(code: .sameServer, values: ["server": .foreign(id), "source": .foreign(source)])
  }

  /// Another process has read a newer publication meanwhile; the next attempt reads it again.
  public static let superseded = SourceFailure(code: .superseded)

  /// The publication is one of this server.
  public static let ownServer = SourceFailure(code: .ownServer)
}
