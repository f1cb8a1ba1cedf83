public import Foundation
public import Storage

/// Before an account is made less safe, its owner shows once more who is there: a session that was left open, or taken,
/// is not enough.
extension SignInService {
  /// What was shown.
  public enum Confirmation: Sendable, Equatable {
    /// It is the owner.
    case confirmed
    /// It is not right.
    case refused
    /// Nothing was looked at; seconds until it will be.
    case later(Int)
  }

  /// By the password.
  public func confirm(_ moderator: Session, password: String, at time: Date) async throws -> Confirmation {
    try await confirm(moderator, "own password", at: time) { account in
      try await hasher.verify(String(password.prefix(PasswordRules.length.upperBound + 1)), account.password)
    }
  }

  /// By a code of the app, which works once, or by a recovery code, which is used up.
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
