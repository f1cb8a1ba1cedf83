#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A migration and its state.
public struct PostgresMigration: Sendable, Equatable {
  /// Fourteen digits, a time in UTC.
  public let version: Int64
  /// The part of the file's name after the version.
  public let name: String
  /// SHA-256 of the script, 64 hexadecimal digits.
  public let checksum: String
  /// When it was applied; nil when it is pending.
  public let appliedAt: Date?
  /// How long the script took, in milliseconds; nil when it is pending.
  public let durationMilliseconds: Int64?
  /// The state.
  public let state: State

  /// The state of a migration.
  public enum State: String, Sendable {
    /// It was applied, and the file is the same.
    case applied
    /// It is pending.
    case pending
    /// It was applied, and the file has changed since.
    case changed
    /// It was applied, and the file is missing.
    case missing
    /// It is pending, but a newer one was applied already.
    case outOfOrder
  }
}
