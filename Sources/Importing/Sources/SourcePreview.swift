// SPDX-License-Identifier: Apache-2.0

import Curation
import Storage

/// The changes that a source would cause in a publication made now. Nothing is stored.
public struct SourcePreview: Sendable, Equatable, Encodable {
  /// Numbers of the list.
  public var entries = 0
  /// Rows that cannot be read.
  public var rejected = 0
  /// Patterns for too many numbers, which are left out.
  public var patterns = 0
  /// Numbers that would be listed to block, and are not now.
  public var block = 0
  /// Numbers that would be listed to identify, and are not now.
  public var identify = 0
  /// Numbers that would be put up for review.
  public var review = 0
  /// Numbers of the list that are listed already, and would stay so.
  public var listed = 0
  /// Numbers that are listed now, and would not be.
  public var lost = 0
  /// Numbers of the list that are protected.
  public var protected = 0
  /// Numbers of the list with a decision.
  public var decided = 0
  /// Numbers of the list that a rule against brigading holds.
  public var held = 0

  /// Nothing was read.
  public init() {}

  mutating func take(_ before: SourceCeiling, _ after: SourceCeiling) {
    if before == after {
      if before >= .identify { listed += 1 }
    } else if after == .block {
      block += 1
    } else if after == .identify {
      identify += 1
    } else if before >= .identify {
      lost += 1
    } else if after == .review {
      review += 1
    }
  }
}

/// A change of a number's complaints by a source.
struct SourceFileChange {
  var number: Int64
  var added: [SourceEntry] = []
  var removed: [SourceEntry] = []
  /// Whether the list contains the number.
  var isListed = true
}
