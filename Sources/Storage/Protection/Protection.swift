// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A protected number or pattern.
public struct Protection: Sendable, Equatable {
  /// The number or pattern: `+`, digits, and in a pattern `x` or a final `*`.
  public let what: String
  /// Owner and reason, 1 to 200 characters.
  public let reason: String
  /// The account that protected it.
  public let addedBy: String
  /// When it was protected.
  public let addedAt: Date
}

/// A number or pattern to be protected.
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

/// The reason why a number or pattern was not protected.
public enum ProtectionError: Error, Equatable, CustomStringConvertible {
  /// The limit of patterns would be exceeded.
  case tooManyPatterns(limit: Int)
  /// The limit of numbers would be exceeded.
  case tooManyNumbers(limit: Int)

  /// The cause and the remedy, in plain English.
  public var description: String {
    switch self {
    case .tooManyPatterns(let limit):
      "There may be \(limit) patterns. Put several into one with x or *, or remove some; nothing was changed."
    case .tooManyNumbers(let limit):
      "There may be \(limit) protected numbers. Write patterns for blocks of them; nothing was changed."
    }
  }
}
