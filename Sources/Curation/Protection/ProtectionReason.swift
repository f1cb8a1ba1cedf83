// SPDX-License-Identifier: Apache-2.0

/// The reason why a number may never be published.
public enum ProtectionReason: CodedData {
  /// The kinds of protection.
  public enum CodingKeys: MessageCode {
    case emergencyNumber, shortNumber, invalidNumber, protectedNumber, protectedPattern
  }

  /// An emergency number.
  case emergencyNumber
  /// A short number.
  case shortNumber
  /// A number outside every numbering plan.
  case invalidNumber
  /// An operator has protected it; with the operator's text.
  case protectedNumber(reason: String)
  /// An operator has protected all numbers of a pattern; with the operator's text and the pattern's stored form.
  case protectedPattern(reason: String, pattern: String)

  /// The operator's text; nil where the server itself protects the number.
  public var operatorText: String? {
    switch self {
    case .protectedNumber(let reason), .protectedPattern(let reason, _): reason
    case .emergencyNumber, .shortNumber, .invalidNumber: nil
    }
  }
}
