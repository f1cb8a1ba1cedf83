// SPDX-License-Identifier: Apache-2.0

import Storage

/// The personal numbers of a user, for lookups.
struct PersonalList {
  private let entries: [PersonalNumber]

  init(_ entries: [PersonalNumber]) {
    self.entries = entries
  }

  /// The entry of a number, otherwise the longest beginning of it.
  func entry(_ number: Int64) -> PersonalNumber? {
    if let exact = entries.first(where: { !$0.isPrefix && $0.number == number }) { return exact }
    let digits = String(number)
    return entries.filter { $0.isPrefix && digits.hasPrefix(String($0.number)) }.max { $0.number < $1.number }
  }

  /// The entry of a number whose complete hash is known, otherwise that of its digits without the last one or two.
  func entry(
    _ hash: NumberSHA1Prefix, _ ten: NumberSHA1Prefix?, _ hundred: NumberSHA1Prefix?
  ) -> PersonalNumber? {
    guard !entries.isEmpty else { return nil }
    if let exact = exact(hash).first { return exact }
    for prefix in [ten, hundred] {
      guard let prefix else { continue }
      if let entry = entries.first(where: { $0.isPrefix && prefix.matches(NumberSHA1.of("+\($0.number)")) }) {
        return entry
      }
    }
    return nil
  }

  /// The entries of single numbers whose hash begins with a prefix.
  func exact(_ prefix: NumberSHA1Prefix) -> [PersonalNumber] {
    entries.filter { !$0.isPrefix && prefix.matches(NumberSHA1.of("+\($0.number)")) }
  }
}
