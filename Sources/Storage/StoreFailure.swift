// SPDX-License-Identifier: Apache-2.0

import PostgreSQL

/// The consequence of a database failure for the caller.
public enum StoreFailure: Sendable, Equatable {
  /// The database cannot be reached or is overloaded; the same request can be sent again later.
  case unavailable
  /// The database refused the statement, perhaps because of one item in it.
  case perhapsOneItem
  /// Anything else.
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
