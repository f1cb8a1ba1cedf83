// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PostgreSQL
import Support

/// Something in the database or the input that this version cannot handle.
public enum StorageError: Error, Equatable, CustomStringConvertible {
  case unknownCategory(id: Int16)
  /// There is no such version of the thresholds; nil: there is none at all.
  case noThresholds(version: Int32?)
  /// Another administrator has saved this version of the thresholds meanwhile.
  case thresholdsChanged(version: Int32)
  /// Another manifest is already recorded under this serial.
  case serialTaken(Int64)
  case unknownTreatment(String)
  /// A row names a rule against brigading that this version does not know.
  case unknownRule(String)
  case unknownState(String)
  case unknownJob(kind: String)
  /// A row has a code with values that this version does not know.
  case unknownCode(String)
  case unknownRole(String)
  /// A directory was replaced by another process while it was being read.
  case directoryChanged(source: String)
  /// An import without entries would replace the existing entries of a directory.
  case emptyDirectory(source: String, kept: Int64)
  case tooManyRanges(maximum: Int)
  /// Reports before this time were dropped, and a report to be stored is older.
  case reportsDropped(before: Date)
  /// Reports up to this time were to be dropped, but by the database clock that is too early.
  case monthsTooYoung(until: Date, here: Date, database: Date)
  /// The database is a cluster, and a table that needs a place has none.
  case notDistributed(table: String)
  /// The database is a cluster whose version of Citus lacks a function that intake needs.
  case unsuitableCluster(version: String)
  /// The database is a cluster, where reports cannot be rehearsed.
  case noRehearsal

  /// The cause and the remedy, in plain English.
  public var description: String {
    switch self {
    case .tooManyRanges(let maximum):
      """
      There would be more than \(maximum) rules for ranges. Nothing was saved. Join ranges that follow each other, or remove \
      rules: ringfence prefixes remove
      """
    case .unknownCategory(let id):
      "The database has a category \(id) that this version does not know. Run a newer version."
    case .noThresholds(nil):
      "The database has no thresholds. Restore threshold_versions, threshold_rules and source_rules from a backup."
    case .noThresholds(.some(let version)):
      "There is no version \(version) of the thresholds. List the versions with: ringfence thresholds history"
    case .thresholdsChanged(let version):
      "Another change saved version \(version) of the thresholds first. Check it, then make your change again."
    case .serialTaken(let serial):
      """
      Publication \(serial) differs between the database and the folder, so two folders are in use. Use one folder for \
      all servers.
      """
    case .unknownRule(let name):
      "The database has a rule \(name) that this version does not know. Run a newer version."
    case .unknownState(let name):
      "The database has a state \(name) that this version does not know. Run a newer version."
    case .unknownJob(let kind):
      "The database has a background job \(kind) that this version does not know. Run a newer version."
    case .unknownTreatment(let name):
      "The database has decisions of a kind \(name) that this version does not know. Run a newer version."
    case .unknownCode(let json):
      "The database has the code \(json), which this version does not know. Run a newer version."
    case .unknownRole(let name):
      "An account has a role \(name) that this version does not know. Run a newer version."
    case .directoryChanged(let source):
      "The directory \(source) was replaced while it was being read. Try again."
    case .emptyDirectory(let source, let kept):
      """
      The file has no valid number with a name, so the \(kept) entries of \(source) stay. Check the columns and --region. \
      --rejects FILE writes the error of each row.
      """
    case .reportsDropped(let before):
      """
      Reports from before \(Timestamp.format(before)) were deleted. Older reports are refused because they could be \
      counted twice.
      """
    case .monthsTooYoung(let until, let here, let database):
      """
      No reports were deleted: reports from before \(Timestamp.format(until)) are due by this machine's clock, \
      \(Timestamp.format(here)), but less than \(RetentionStore.minMonths) months old by the database's clock, \
      \(Timestamp.format(database)). Synchronize both with NTP.
      """
    case .notDistributed(let table):
      """
      The table \(table) is not distributed over the cluster, so no report is stored. Run the output of: ringfence cluster plan \
      --survey
      """
    case .unsuitableCluster(let version):
      """
      Citus \(version) lacks the lock of shards or the setting that lets Ringfence write into their tables. Install Citus 11.0 to \
      14.0 on each node; 13.2.2 was tried.
      """
    case .noRehearsal:
      "The database is a cluster, where reports cannot be previewed. Restore a backup into a single PostgreSQL and preview there."
    }
  }
}

/// The consequence of a database failure for the caller.
public enum StoreFailure: Sendable, Equatable {
  /// The database cannot be reached or is overloaded; the same request can be sent again later.
  case unavailable
  /// The database refused the statement, perhaps because of one item in it.
  case perhapsOneItem
  case other

  /// - Parameter error: what a store threw.
  public init(_ error: any Error) {
    if case .reportsDropped = error as? StorageError {
      self = .perhapsOneItem
      return
    }
    guard let error = error as? PostgresError else {
      self = .other
      return
    }
    switch error.kind {
    case _ where error.isRetryable: self = .unavailable
    case .poolTimeout, .poolShutDown, .connectionClosed, .cancelled: self = .unavailable
    // Out of memory, disk full, too many connections: no item is the cause.
    case .server(let state) where state.hasPrefix("53"): self = .unavailable
    case .server, .encoding: self = .perhapsOneItem
    default: self = .other
    }
  }
}

extension PostgresError {
  /// Whether another session has created the same object a moment ago.
  var isDuplicateObject: Bool { sqlState.map { ["42P07", "42710", "23505"].contains($0) } ?? false }
}

extension PostgresRow {
  /// A code with its values. The column is JSON as text.
  /// - Throws: ``StorageError/unknownCode(_:)``, `PostgresError`.
  func coded<Coded: CodedData>(_ column: Int) throws -> Coded {
    let json = try decode(column, as: String.self)
    do {
      return try Coded(json: json)
    } catch {
      throw StorageError.unknownCode(json)
    }
  }

  func codedIfPresent<Coded: CodedData>(_ column: Int) throws -> Coded? {
    try decode(column, as: String?.self) == nil ? nil : coded(column)
  }

  /// The step of a publication or a background job; nil where the column is null. During an upgrade another server may
  /// run a step that this version does not know; that is also nil.
  func step(_ column: Int) throws -> JobStep? {
    try decode(column, as: String?.self).flatMap { try? JobStep(json: $0) }
  }
}
