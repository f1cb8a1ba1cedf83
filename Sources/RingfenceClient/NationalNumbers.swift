// SPDX-License-Identifier: Apache-2.0

public import CallerPack
import PhoneNumbers

extension PackReader {
  /// Returns the entry of a number as a phone shows it or a person types it, or `nil`. Decodes one block.
  /// - Parameters:
  ///   - text: such as `+49 30 23125123`, or `030 23125123` with a region.
  ///   - region: ISO 3166-1 alpha-2 of the phone's country; nil to read international numbers alone.
  /// - Returns: nil for a number without an entry, and for a text without a number, such as a withheld one.
  /// - Throws: ``PackError`` when the block cannot be read.
  public func lookup(_ text: String, region: String?) throws(PackError) -> PackEntry? {
    guard let number = Dialed.digits(text, region) else { return nil }
    return try lookup(number)
  }
}

extension RingfenceClient {
  /// Looks up a number as a phone shows it or a person types it, as ``listing(of:)`` does.
  /// - Parameters:
  ///   - text: such as `+49 30 23125123`, or `030 23125123` with a region.
  ///   - region: ISO 3166-1 alpha-2 of the phone's country; nil to read international numbers alone.
  /// - Returns: nil for a number that is not listed, and for a text without a number, such as a withheld one.
  /// - Throws: ``ClientError``: `network`, `key`, `status`; `CancellationError`.
  public func listing(of text: String, region: String?) async throws -> Listing? {
    guard let number = Dialed.digits(text, region) else { return nil }
    return try await listing(of: number)
  }
}

enum Dialed {
  /// E.164 digits of a number, in the numbering plan or newer than it.
  static func digits(_ text: String, _ region: String?) -> Int64? {
    (try? PhoneNumber.parsePossible(text, region: region))?.number.digits
  }
}
