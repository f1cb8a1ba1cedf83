import PostgreSQL

/// What a failure of the database means for whoever waits.
public enum StoreFailure: Sendable, Equatable {
  /// The database cannot be reached or is overloaded; the same request is welcome later.
  case unavailable
  /// The database refused the statement, perhaps for one item in it.
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
    // Out of memory, disk full, too many connections: the fault of no item.
    case .server(let state) where state.hasPrefix("53"): self = .unavailable
    case .server, .encoding: self = .perhapsOneItem
    default: self = .other
    }
  }
}

extension PostgresError {
  /// Whether somebody else has made the same object just now.
  var isDuplicateObject: Bool { sqlState.map { ["42P07", "42710", "23505"].contains($0) } ?? false }
}
