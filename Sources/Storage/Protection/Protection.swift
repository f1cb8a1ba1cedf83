public import Curation
public import Foundation

/// Something that an operator has protected.
public struct Protection: Sendable, Equatable {
  /// A pattern, or one number: `+`, digits, and in a pattern `x` or a final `*`.
  public let what: String
  /// Whose it is and why, 1 to 200 characters.
  public let reason: String
  /// Who protected it.
  public let addedBy: String
  /// When.
  public let addedAt: Date
}

/// Something that is to be protected.
public enum ProtectionTarget: Sendable, Equatable {
  /// One number, by its E.164 digits.
  case number(Int64)
  /// All numbers of a pattern.
  case pattern(ProtectedPattern)

  /// - Parameter text: a number in international form, or a pattern; see `ProtectedPattern`.
  /// - Throws: `ProtectedPatternError`.
  public init(_ text: String) throws(ProtectedPatternError) {
    let pattern = try ProtectedPattern(text)
    if let number = Int64(pattern.text.dropFirst()) {
      self = .number(number)
    } else {
      self = .pattern(pattern)
    }
  }
}

/// Why something was not protected.
public enum ProtectionError: Error, Equatable, CustomStringConvertible {
  /// There would be too many patterns.
  case tooManyPatterns(limit: Int)
  /// There would be too many numbers.
  case tooManyNumbers(limit: Int)

  /// What it is, and what to do, in plain English.
  public var description: String {
    switch self {
    case .tooManyPatterns(let limit):
      "There may be \(limit) patterns. Put several into one with x or *, or remove some; nothing was changed."
    case .tooManyNumbers(let limit):
      "There may be \(limit) protected numbers. Write patterns for blocks of them; nothing was changed."
    }
  }
}
