// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Storage

/// Confirmation of the owner before a change that makes an account less safe: an unattended or stolen session is not
/// enough.
extension SignInService {
  /// Result of a confirmation.
  public enum Confirmation: Sendable, Equatable {
    /// The password or code is right.
    case confirmed
    /// The password or code is wrong.
    case refused
    /// Nothing was checked; the seconds until an attempt is checked again.
    case later(Int)
  }

  /// Confirms by the password.
  public func confirm(_ moderator: Session, password: String, at time: Date) async throws -> Confirmation {
    try await confirm(moderator, "own password", at: time) { account in
      try await hasher.verify(String(password.prefix(PasswordRules.length.upperBound + 1)), account.password)
    }
  }

  /// Confirms by a code of the app, which works once, or by a recovery code, which is consumed.
  public func confirm(_ moderator: Session, code typed: String, at time: Date) async throws -> Confirmation {
    try await confirm(moderator, "code", at: time) { account in
      guard let factor = factor(typed, of: account, at: time) else { return false }
      return try await accounts.use(factor, of: moderator)
    }
  }

  private func confirm(
    _ moderator: Session, _ kind: String, at time: Date, _ isRight: (Credentials) async throws -> Bool
  ) async throws -> Confirmation {
    let throttle = SignInThrottle([(key.subject(kind, Array(moderator.name.utf8)), SignInThrottle.code)])
    let former = try await reserve(throttle, at: time)
    if let wait = SignInThrottle.wait(former, at: time) { return .later(wait) }
    do {
      guard let account = try await accounts.credentials(of: moderator.name), try await isRight(account) else {
        return .refused
      }
      try await attempts.forget(Array(throttle.rules.keys), at: time)
      return .confirmed
    } catch is PasswordHasher.Busy {
      try await giveBack(throttle, former, at: time)
      return .later(2)
    }
  }
}
