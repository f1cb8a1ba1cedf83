// SPDX-License-Identifier: Apache-2.0

/// Result of storing a report.
public enum ReportOutcome: Sendable, Equatable {
  /// The report is new, committed and counted.
  case created
  /// The same report was stored already; nothing changed.
  case duplicate
  /// The app has used this report id for other content; nothing changed.
  case conflict
  /// The same report was withdrawn; sending it again does not restore it.
  case withdrawn
}

/// Result of withdrawing a report.
public enum WithdrawalOutcome: Sendable, Equatable {
  /// The report no longer counts.
  case withdrawn
  /// The report had been withdrawn before; nothing changed.
  case alreadyWithdrawn
  /// The app has no report of this id.
  case notFound
}
