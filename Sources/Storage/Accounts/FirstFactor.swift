/// What comes of the first factor.
public enum FirstFactor: Sendable, Equatable {
  /// The account has signed in; the token of its new session.
  case session(String, isNew: Bool)
  /// The account has a second factor; the token by which it goes on.
  case secondFactor(String)
}

/// What the second factor was.
public enum SecondFactor: Sendable, Equatable {
  /// A code of an authenticator app, by its step of 30 seconds.
  case code(step: Int64)
  /// A recovery code, by its hash of 32 bytes.
  case recovery([UInt8])
}
