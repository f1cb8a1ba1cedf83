// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers

/// The comparable result of parsing a text.
typealias Reading = Result<PhoneNumber, PhoneNumberError>

func reading(_ text: String, _ region: String?) -> Reading {
  Result { () throws(PhoneNumberError) in try PhoneNumber(parsing: text, region: region) }
}

func reading(_ text: String, _ region: String?, by parser: inout PhoneNumberParser) -> Reading {
  do throws(PhoneNumberError) {
    return .success(try parser.parse(text, region: region))
  } catch {
    return .failure(error)
  }
}
