// SPDX-License-Identifier: Apache-2.0

import Curation
import Storage

/// The answer of a telephone system's lookup.
struct CallerVerdict: Encodable, Equatable {
  /// The treatment of a call.
  enum Verdict: String, Encodable, CaseIterable {
    case block
    case identify
    /// The number is not listed, is protected, or a moderator has allowed it.
    case allow
  }

  /// In E.164 with a plus.
  let number: String
  let verdict: Verdict
  /// Empty for a number that is not listed.
  let name: String
  /// The slug; nil for a number that is not listed.
  let category: String?

  /// - Parameter listed: nil for a number that is not listed.
  init(number: String, _ listed: ListedHash?) {
    self.number = number
    verdict = listed.map { $0.mayBlock ? .block : .identify } ?? .allow
    let name = listed.map { CallerName.text(of: $0.label) } ?? ""
    // A label of nothing but special characters.
    self.name = name.isEmpty ? listed.map { CallerName.text(of: $0.category.label) } ?? "" : name
    category = listed?.category.slug
  }
}
