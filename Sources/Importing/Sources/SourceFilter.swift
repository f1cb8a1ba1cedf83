// SPDX-License-Identifier: Apache-2.0

import Curation
import PhoneNumbers

/// Selects the numbers and complaints of a source that are read.
struct SourceFilter: Sendable {
  /// ISO 3166 codes; empty for all.
  private let countries: Set<String>

  init(_ options: SourceOptions) {
    countries = Set(options.countries)
  }

  func takes(_ number: PhoneNumber) -> Bool {
    countries.isEmpty || number.region.map(countries.contains) == true
  }

  /// "Legitimate" in a file of another owner would defend a number.
  func takes(_ complaint: ParsedComplaint) -> Bool {
    complaint.category.isToxic && PhoneNumber(digits: complaint.number).map(takes) == true
  }
}
