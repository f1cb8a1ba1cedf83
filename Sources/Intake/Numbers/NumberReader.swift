// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers
import Synchronization

/// Parses numbers for many tasks at once with a cache, because the same numbers are reported repeatedly.
final class NumberReader: Sendable {
  /// The parser with its cache, about 3 MB.
  private let parser = Mutex(PhoneNumberParser(capacity: 65_536))

  /// As `PhoneNumber(parsing:region:)` does.
  func read(_ text: String, region: String?) throws(PhoneNumberError) -> PhoneNumber {
    let remembered = parser.withLockIfAvailable { parser in
      Result { () throws(PhoneNumberError) in try parser.parse(text, region: region) }
    }
    // When the parser is in use, the number is parsed without the cache instead of waiting.
    guard let remembered else { return try PhoneNumber(parsing: text, region: region) }
    return try remembered.get()
  }
}
