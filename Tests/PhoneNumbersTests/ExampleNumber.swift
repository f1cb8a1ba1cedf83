// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers

/// A row of the example numbers of Google's numbering plans.
struct ExampleNumber {
  static let path = "numbering/libphonenumber-examples.csv"

  /// Region of the example, or `001`.
  var region: String
  /// The type's name there, `NON_GEO`, or `INVALID`.
  var type: String
  var national: String
  var international: String
  var digits: Int64
  /// `001` for a non-geographic number; nil for an invalid one.
  var regionOfNumber: String?
  var isValid: Bool

  /// Region and type, such as `BJ MOBILE`; identifies the row.
  var name: String { type == "NON_GEO" ? "\(region) \(digits)" : "\(region) \(type)" }

  static func rows() throws -> [ExampleNumber] {
    try SharedData.rows(path).map { line in
      let columns = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return ExampleNumber(
        region: columns[0], type: columns[1], national: columns[2], international: columns[3],
        digits: Int64(columns[4]) ?? 0, regionOfNumber: columns[5].isEmpty ? nil : columns[5],
        isValid: columns[6] == "valid")
    }
  }

  /// Whether a kind fits the row's type. A plan that does not distinguish fixed lines and mobiles has one kind for
  /// both.
  func fits(_ kind: PhoneNumber.Kind) -> Bool {
    switch type {
    case "FIXED_LINE", "MOBILE": kind.rawValue == type.lowercased() || kind == .fixedLineOrMobile
    case "NON_GEO": kind != .unknown
    default: kind.rawValue == type.lowercased()
    }
  }
}
