// SPDX-License-Identifier: Apache-2.0

import Curation

/// Reasons why packs could not be assembled.
public enum AssemblyError: Error, Equatable, CustomStringConvertible {
  /// Numbers of a source were not in ascending order.
  case notAscending(source: String, number: Int64, after: Int64)
  /// A text is longer than a spool allows.
  case textTooLong(number: Int64)
  /// A pack needs numbers that the cut omitted.
  case cutTooHigh
  /// Two packs would have the same name.
  case sameName(String)

  /// The code and its values for logs. Localization makes sentences for people.
  public var description: String { PublicationFailure(self).json }
}
