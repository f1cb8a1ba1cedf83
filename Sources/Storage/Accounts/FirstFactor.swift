// SPDX-License-Identifier: Apache-2.0

/// Result of a first factor that was accepted.
public enum FirstFactor: Sendable, Equatable {
  /// The account is signed in; the token of its new session.
  case session(String, isNew: Bool)
  /// The account has a second factor; the token of the sign-in step that continues.
  case secondFactor(String)
}

/// A second factor that was shown.
public enum SecondFactor: Sendable, Equatable {
  /// A code of an authenticator app, identified by its step of 30 seconds.
  case code(step: Int64)
  /// A recovery code, identified by its hash of 32 bytes.
  case recovery([UInt8])
}
