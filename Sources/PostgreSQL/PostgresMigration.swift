#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A migration and what became of it.
public struct PostgresMigration: Sendable, Equatable {
  /// Fourteen digits, a time in UTC.
  public let version: Int64
  /// What the file's name says after the version.
  public let name: String
  /// SHA-256 of the script, 64 hexadecimal digits.
  public let checksum: String
  /// When it was applied; nil when it is pending.
  public let appliedAt: Date?
  /// How long the script took, in milliseconds; nil when it is pending.
  public let durationMilliseconds: Int64?
  /// What is wrong with it, or `pending` or `applied`.
  public let state: State

  /// Where a migration stands.
  public enum State: String, Sendable {
    /// It was applied, and the file is the same.
    case applied
    /// It is to be applied.
    case pending
    /// It was applied, and the file is another.
    case changed
    /// It was applied, and the file is gone.
    case missing
    /// It is to be applied, and a newer one was already.
    case outOfOrder
  }
}
