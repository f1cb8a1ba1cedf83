// SPDX-License-Identifier: Apache-2.0

/// The network's verification of the number that a caller showed (STIR/SHAKEN, MAN).
public enum CallVerification: String, Sendable, CaseIterable {
  /// A network answers for the number.
  case passed
  /// The signature is wrong: the caller shows a number that is not his.
  case failed
  /// The network said nothing.
  case none

  /// Reads a word, or a value of the SIP parameter `verstat` (3GPP TS 24.229), even if a level of attestation
  /// follows (ATIS-1000082). The case of letters is ignored.
  public init?(_ text: some StringProtocol) {
    var text = text.lowercased()[...]
    if let word = Self(rawValue: String(text)) {
      self = word
      return
    }
    if ["-a", "-b", "-c"].contains(text.suffix(2)) { text = text.dropLast(2) }
    switch text {
    case "tn-validation-passed": self = .passed
    case "tn-validation-failed": self = .failed
    case "no-tn-validation": self = .none
    default: return nil
    }
  }
}

/// The verification of a report's call, and whether its sender is trusted: the server of an app whose key may vouch, or a
/// phone that has attested. Others are stored and shown, and weigh nothing: an app that says `failed` of everything would
/// hide its users' complaints.
public struct ReportedVerification: Sendable, Equatable {
  public var value: CallVerification
  public var isTrusted: Bool

  public init(_ value: CallVerification, isTrusted: Bool) {
    (self.value, self.isTrusted) = (value, isTrusted)
  }

  /// Whether the report says that somebody shows the number, and not that its owner calls. It counts apart: not toward a
  /// listing, and not against the confidence.
  public var isOfFalseCaller: Bool { value == .failed && isTrusted }

  /// The stored value: 0 none, 1 passed, 2 failed; 10 more from a sender who is not trusted.
  public var code: Int16 {
    let code: Int16 =
      switch value {
      case .none: 0
      case .passed: 1
      case .failed: 2
      }
    return isTrusted ? code : code + 10
  }
}

/// How many reporters of a number had calls that the network verified. Only trusted senders count.
public struct VerifiedCalls: Sendable, Equatable, Codable {
  public var failed: Int
  public var passed: Int

  /// The least reporters, so that one or two phones free no number.
  static let minFailed = 3

  public init(failed: Int = 0, passed: Int = 0) {
    (self.failed, self.passed) = (failed, passed)
  }

  /// Whether others show the number, so that it is labeled at most. Calls of the owner pass, or are not signed; calls of
  /// somebody who borrows the number fail where networks check. Reports that say nothing are not asked: they are about both.
  public var isMisused: Bool { failed >= Self.minFailed && failed > passed }

  /// The counts for apps, rounded down, which agree with ``isMisused``.
  var coarse: VerifiedCalls {
    let failed = Explanation.coarseCount(failed)
    let passed = Explanation.coarseCount(passed)
    return VerifiedCalls(failed: failed, passed: isMisused ? min(passed, failed - 1) : passed)
  }
}

/// The action of a telephone system for a call that failed verification, in addition to the verdict about the number.
public enum FailedCalls: String, Sendable, CaseIterable {
  case nothing, label, reject
}
