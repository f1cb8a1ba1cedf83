// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers

/// A row of raw complaint numbers with the result of PyPI's phonenumbers for the default region US.
struct RawSample {
  static let path = "numbering/raw-to-e164-sample.tsv.gz"

  /// A difference between the two results.
  enum Difference: String, CaseIterable {
    /// The reference has a valid number that ours refuses as not valid: an area code opened since.
    case openedSince
    /// The reference refuses the number that ours accepts: a range closed since.
    case closedSince
    /// Both have a number, in different regions.
    case otherRegion
    /// Both have different numbers.
    case otherNumber
    /// The reference has a valid number that ours refuses for another reason than the numbering plan.
    case refused
    /// The reference completes a mask, or leaves out a sign in the place of a digit.
    case incomplete
    /// The reference found no number, ours did.
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

  /// Nil if both agree: the same number, or no number with a matching reason.
  func difference(from ours: Reading) -> Difference? {
    switch (validity, ours) {
    case ("valid", .success(let number)):
      if number.digits != digits { return .otherNumber }
      return number.region == region ? nil : .otherRegion
    case ("valid", .failure(.notValid)): return .openedSince
    // The reference fills masks, and leaves out signs of unknown digits.
    case ("valid", .failure(.mask)), ("valid", .failure(.placeholder)): return .incomplete
    case ("valid", .failure): return .refused
    case ("unparsed", .success): return .readHere
    case (_, .success): return .closedSince
    case (_, .failure): return nil
    }
  }
}
