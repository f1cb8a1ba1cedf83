/// How far a transaction is kept from others.
public enum PostgresIsolation: String, Sendable {
  /// Each statement sees what was committed before it.
  case readCommitted = "READ COMMITTED"
  /// All statements see what was committed before the first.
  case repeatableRead = "REPEATABLE READ"
  /// As if one transaction ran after another; may fail with 40001.
  case serializable = "SERIALIZABLE"
}
