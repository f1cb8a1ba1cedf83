// SPDX-License-Identifier: Apache-2.0

/// The reason why a source could not be refreshed. Its former entries stay.
public enum SourceFailure: CodedData, Error {
  public enum CodingKeys: MessageCode {
    case answerTooLong, cannotWrite, connectionFailed, damagedFile, endedEarly, expandsTooFar, expired, freesTooMany
    case invalidAddress, keyUnreadable, keyWithoutHTTPS, malformedAnswer, missingColumn, missingFile, noEntries
    case noEvidence, noPack, notRead, notStored, olderPublication, otherOrigin, otherServer, ownServer, privateAddress
    case rootExpired, sameServer, silent, stillRemoving, storedComplaints, superseded, tookTooLong, tooManyChanges
    case tooManyEntries, tooManyRejects, tooMuchWork, unexpectedEncoding, unexpectedStatus, unreadable
    case unsupportedVersion, untrustedCertificate, untrustedKey, wrongDigest, wrongSignature, wrongType, xzMissing
  }

  // The file.

  case answerTooLong(maximumBytes: Int)
  /// The temporary file could not be written.
  case cannotWrite(String)
  case connectionFailed(String)
  /// The compressed data is damaged or ends early.
  case damagedFile
  /// The connection ended before the response did.
  case endedEarly
  /// The compressed file is longer than allowed after decompression.
  case expandsTooFar(maximumBytes: Int)
  /// The URL is not an HTTP or HTTPS URL.
  case invalidAddress
  case keyUnreadable(path: String)
  /// There is a key, and the URL is neither an HTTPS URL nor one of this machine.
  case keyWithoutHTTPS
  /// The response violates HTTP.
  case malformedAnswer
  case missingColumn(column: String)
  /// The file has no entry that can be read and is not left out.
  case noEntries
  /// The list was not read completely yet, so that its stored entries are not all of its numbers.
  case notRead
  /// The entries could not be stored completely; the next attempt continues.
  case notStored(String)
  /// The server redirects to another origin.
  case otherOrigin
  /// The address is one of this machine or of a private network, and the source was added on a page.
  case privateAddress
  /// The server sent nothing for too long.
  case silent
  /// A source of the name was removed, and its entries are still to be withdrawn.
  case stillRemoving
  /// A preview of a list with stored complaints that its file may not have.
  case storedComplaints
  case tookTooLong(seconds: Int64)
  /// The complete list adds or removes more entries than the source's settings allow, in percent of the former ones.
  case tooManyChanges(added: Int, removed: Int, former: Int, mostPercent: Int)
  /// The list would protect, and so take off the list, more listed numbers than allowed.
  case freesTooMany(listed: Int, maximum: Int)
  /// The file has more entries than allowed, or more than twice as many rows.
  case tooManyEntries(maximum: Int)
  /// Most entries of the file cannot be read.
  case tooManyRejects(rejected: Int, rows: Int)
  /// Decompression or reading takes more CPU time than allowed.
  case tooMuchWork(seconds: Int64)
  case unexpectedEncoding(encoding: String)
  /// The status of the response is neither 200 nor 304.
  case unexpectedStatus(status: Int)
  /// The file cannot be read as the source's format.
  case unreadable(String)
  /// The server's certificate is not trusted, or is for another name.
  case untrustedCertificate
  /// The response is of a type that is no list, such as a page.
  case wrongType(type: String)
  case xzMissing

  // Subscriptions to other servers.

  /// The manifest has expired: its server makes no new publication, or somebody withholds it.
  case expired
  /// There is no file at an address of the publication.
  case missingFile(address: String)
  case noEvidence(pack: String)
  case noPack(pack: String)
  /// The publication is older than one that was accepted before, or does not continue it.
  case olderPublication(serial: Int64, accepted: Int64)
  /// The evidence file is one of another server.
  case otherServer(server: String)
  /// The publication is one of this server.
  case ownServer
  case rootExpired
  /// Another source is a subscription to the same server.
  case sameServer(server: String, source: String)
  /// Another process has read a newer publication meanwhile; the next attempt reads it again.
  case superseded
  case unsupportedVersion(version: Int, known: Int)
  /// A document is not signed by trusted keys.
  case untrustedKey(keys: String)
  /// A file is not the one that the manifest names.
  case wrongDigest(path: String)
  case wrongSignature
}
