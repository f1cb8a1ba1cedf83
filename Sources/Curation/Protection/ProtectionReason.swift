// SPDX-License-Identifier: Apache-2.0

/// The reason why a number may never be published.
public struct ProtectionReason: CodedData {
  /// The kinds of protection.
  public enum Code: String, CaseIterable, Sendable {
    /// It is an emergency number.
    case emergencyNumber = "emergency_number"
    /// It is a short number.
    case shortNumber = "short_number"
    /// It is outside every numbering plan.
    case invalidNumber = "invalid_number"
    /// An operator has protected it.
    case protectedNumber = "protected_number"
    /// An operator has protected all numbers of a pattern.
    case protectedPattern = "protected_pattern"
  }

  /// The name of the message.
  public let code: Code
  /// The values of the message; see ``CodedData``.
  public let values: [String: CodedValue]

  /// - Parameters: see ``CodedData``.
  public init(code: Code, values: [String: CodedValue]) {
    self.code = code
    self.values = values
  }

  /// The operator's text; nil where the server itself protects the number.
  public var operatorText: String? { if case .text(let text) = values["reason"] { text } else { nil } }

  /// An emergency number.
  public static let emergencyNumber = ProtectionReason(code: .emergencyNumber, values: [:])
  /// A short number.
  public static let shortNumber = ProtectionReason(code: .shortNumber, values: [:])
  /// A number outside every numbering plan.
  public static let invalidNumber = ProtectionReason(code: .invalidNumber, values: [:])

  /// - Parameter reason: the operator's text.
  public static func protectedNumber(reason: String) -> ProtectionReason {
    ProtectionReason(code: .protectedNumber, values: ["reason": .text(reason)])
  }

  /// - Parameters:
  ///   - reason: the operator's text.
  ///   - pattern: the pattern's stored form.
  public static func protectedPattern(reason: String, pattern: String) -> ProtectionReason {
    ProtectionReason(code: .protectedPattern, values: ["reason": .text(reason), "pattern": .text(pattern)])
  }
}
