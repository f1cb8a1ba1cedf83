import PhoneNumbers

/// A number as somebody typed it, with the country it was dialled in.
struct NumberField {
  /// The longest text that is looked at, in bytes.
  static let longest = 64

  /// The text of the catalog that says what is wrong with a number; nil where it is one.
  /// - Parameters:
  ///   - text: in international form, or in the country's own.
  ///   - country: ISO 3166 alpha-2; nil or empty where none was chosen.
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

/// What is wrong with a number, by the key of its text.
struct NumberFieldProblem: Error {
  let key: String
}
