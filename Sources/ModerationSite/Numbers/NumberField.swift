// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers

/// Reads a typed number and the country in which it is dialled.
struct NumberField {
  /// The longest accepted text in bytes.
  static let longest = 64

  /// Parses a typed number.
  /// - Parameters:
  /// - text: in international format, or in the country's national format.
  /// - country: ISO 3166 alpha-2; nil or empty if none was chosen.
  /// - Returns: the number, or the key of the message for its error.
  static func read(_ text: String, country: String?) -> Result<PhoneNumber, NumberFieldProblem> {
    guard !text.isEmpty else { return .failure(.init(key: "appeal.number-empty")) }
    guard text.utf8.count <= longest else { return .failure(.init(key: "appeal.number-long")) }
    let region = country.flatMap { PhoneRegion($0)?.code }
    do throws(PhoneNumberError) {
      return .success(try PhoneNumber(parsing: text, region: region))
    } catch {
      return .failure(.init(key: key(of: error)))
    }
  }

  private static func key(of error: PhoneNumberError) -> String {
    switch error {
    case .empty: "appeal.number-empty"
    case .needsRegion, .unknownRegion: "appeal.number-country"
    case .tooShort: "appeal.number-short"
    case .tooLong: "appeal.number-long"
    case .shortOrEmergency: "appeal.number-emergency"
    case .notANumber, .notValid, .unknownCallingCode, .libraryFailure: "appeal.number-wrong"
    }
  }
}

/// An error in a typed number, as the key of its message.
struct NumberFieldProblem: Error {
  let key: String
}
