import PhoneNumbers
import Synchronization

/// Reads numbers for many tasks at once and remembers them: what many complain about comes again and again.
final class NumberReader: Sendable {
  /// About 3 MB.
  private let parser = Mutex(PhoneNumberParser(capacity: 65_536))

  /// As `PhoneNumber(parsing:region:)` does.
  func read(_ text: String, region: String?) throws(PhoneNumberError) -> PhoneNumber {
    let remembered = parser.withLockIfAvailable { parser in
      Result { () throws(PhoneNumberError) in try parser.parse(text, region: region) }
    }
    // Whoever finds another at it does without the memory rather than wait.
    guard let remembered else { return try PhoneNumber(parsing: text, region: region) }
    return try remembered.get()
  }
}
