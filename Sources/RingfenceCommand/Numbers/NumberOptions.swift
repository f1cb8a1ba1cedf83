// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PhoneNumbers

/// The number that a command is about.
struct NumberOptions: ParsableArguments {
  @Argument(help: "Number in international form, such as +33162000248, or in national form with --region.")
  var number: String

  @Option(help: "Country of a number in national form: two letters, such as FR.")
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
