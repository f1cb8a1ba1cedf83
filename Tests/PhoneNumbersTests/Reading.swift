import PhoneNumbers

/// What reading a text gave, to be compared.
typealias Reading = Result<PhoneNumber, PhoneNumberError>

func reading(_ text: String, _ region: String?) -> Reading {
  Result { () throws(PhoneNumberError) in try PhoneNumber(parsing: text, region: region) }
}

/// Through libphonenumber's own reading: what the shorter ways must agree with.
func libraryReading(_ text: String, _ region: String?) -> Reading {
  Result { () throws(PhoneNumberError) in try PhoneNumber(throughLibrary: text, region: region) }
}

func reading(_ text: String, _ region: String?, by parser: inout PhoneNumberParser) -> Reading {
  do throws(PhoneNumberError) {
    return .success(try parser.parse(text, region: region))
  } catch {
    return .failure(error)
  }
}
