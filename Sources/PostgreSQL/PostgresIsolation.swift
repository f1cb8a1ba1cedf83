// SPDX-License-Identifier: Apache-2.0

/// The isolation level of a transaction.
public enum PostgresIsolation: String, Sendable {
  /// Each statement sees data that was committed before it.
  case readCommitted = "READ COMMITTED"
  /// All statements see data that was committed before the first.
  case repeatableRead = "REPEATABLE READ"
  /// As if one transaction ran after another; may fail with 40001.
  case serializable = "SERIALIZABLE"
}
