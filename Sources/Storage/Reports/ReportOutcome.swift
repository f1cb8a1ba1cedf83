/// What became of a report that was handed to the database.
public enum ReportOutcome: Sendable, Equatable {
  /// It is new, committed, and counted.
  case created
  /// The same report was there already; nothing changed.
  case duplicate
  /// The app has used this report id for another content; nothing changed.
  case conflict
  /// The same report was withdrawn; sending it again does not bring it back.
  case withdrawn
}

/// What became of a wish to withdraw a report.
public enum WithdrawalOutcome: Sendable, Equatable {
  /// It counts no more.
  case withdrawn
  /// It had been withdrawn before; nothing changed.
  case alreadyWithdrawn
  /// The app has no report of this id.
  case notFound
}
