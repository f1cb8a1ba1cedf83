// SPDX-License-Identifier: Apache-2.0

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
  /// Whether older programs can go on using the schema.
  public let kind: Kind
  /// SHA-256 of the script, 64 hexadecimal digits.
  public let checksum: String
  /// When it was applied; nil when it is pending.
  public let appliedAt: Date?
  /// How long the script took, in milliseconds; nil when it is pending.
  public let durationMilliseconds: Int64?
  /// The state.
  public let state: State

  /// The programs that can use the schema after a migration.
  public enum Kind: String, Sendable {
    /// It only adds, so that programs which do not know it go on working.
    case expand
    /// It removes or restricts: only programs that know it can use the schema.
    case contract
  }

  /// The state of a migration in a database, as this program sees it.
  public enum State: String, Sendable {
    /// It was applied, and the file is the same.
    case applied
    /// It is pending.
    case pending
    /// It was applied, and the file has changed since.
    case changed
    /// It was applied, and the file is missing.
    case missing
    /// A newer program applied it. It is an expand migration, so this program can use the schema.
    case newer
    /// A newer program applied it. It is a contract migration, so this program cannot use the schema.
    case incompatible
    /// It is to be applied, and a newer one was already.
    case outOfOrder
  }
}
