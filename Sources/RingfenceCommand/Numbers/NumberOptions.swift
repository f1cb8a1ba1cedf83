import ArgumentParser
import PhoneNumbers

/// The one number that a command is about.
struct NumberOptions: ParsableArguments {
  @Argument(help: "The number in international form, such as +33162000248, or as typed with --region.")
  var number: String

  @Option(help: "ISO 3166 alpha-2, such as FR, for a number in national form.")
  var region: String?

  func validate() throws {
    _ = try digits
  }

  /// E.164 digits.
  var digits: Int64 {
    get throws {
      do {
        return try PhoneNumber(parsing: number, region: region).digits
      } catch {
        throw ValidationError("NUMBER: \(error)")
      }
    }
  }
}
