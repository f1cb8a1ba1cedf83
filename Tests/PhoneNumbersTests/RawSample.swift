import PhoneNumbers

/// A row of the raw strings of complaints with what the Python port of libphonenumber, of a newer numbering plan than
/// Debian 12's, says of them with default region US.
struct RawSample {
  static let path = "numbering/raw-to-e164-sample.tsv.gz"

  /// How the two may differ.
  enum Difference: String, CaseIterable {
    /// The oracle has a valid number, ours refuses it as not valid: an area code opened since.
    case openedSince
    /// The oracle refuses the number, ours is valid: a range closed since.
    case closedSince
    /// Both have a number, in two regions.
    case otherRegion
    /// Both have a number, and it is not the same.
    case otherNumber
    /// The oracle has a valid number, ours refuses it for another reason than the numbering plan.
    case refused
    /// The oracle read nothing, ours did.
    case readHere
  }

  var raw: String
  var digits: Int64?
  var region: String?
  var validity: String

  static func rows() throws -> [RawSample] {
    try SharedData.rows(path).map { line in
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
      return RawSample(
        raw: String(columns[0]), digits: Int64(columns[2]), region: columns[3].isEmpty ? nil : String(columns[3]),
        validity: String(columns[4]))
    }
  }

  /// Nil when ours says the same: that number, or no number with a reason that fits the oracle's.
  func difference(from ours: Reading) -> Difference? {
    switch (validity, ours) {
    case ("valid", .success(let number)):
      if number.digits != digits { return .otherNumber }
      return number.region == region ? nil : .otherRegion
    case ("valid", .failure(.notValid)): return .openedSince
    case ("valid", .failure): return .refused
    case ("unparsed", .success): return .readHere
    case (_, .success): return .closedSince
    case (_, .failure): return nil
    }
  }
}
