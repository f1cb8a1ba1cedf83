// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support

/// Checks of what an app's server knows of its users.
extension ReportSubmission {
  /// The first accepted day: no app has older accounts.
  private static let firstDay = Date(timeIntervalSince1970: 946_684_800)

  /// The start of the day in UTC.
  func checkedReporterSince(now: Date) throws(FieldProblem) -> Date? {
    guard let text = reporterSince else { return nil }
    func problem(_ code: String, _ rule: String) -> FieldProblem {
      FieldProblem(field: "reporter_since", code: code, detail: "The day is \(Self.quoted(text)). \(rule)")
    }
    guard text.utf8.count == 10, let day = Timestamp.read(text.utf8) else {
      throw problem("not_a_day", "Send the UTC day on which your app made the account, such as 2026-03-05.")
    }
    if day > now { throw problem("in_the_future", "It must not be after today (UTC).") }
    if day < Self.firstDay { throw problem("before_2000", "It must be 2000-01-01 or later.") }
    return day
  }

  /// An IPv4 or IPv6 address without port and zone.
  func checkedClientAddress() throws(FieldProblem) -> String? {
    guard let text = clientAddress else { return nil }
    let isPlain = text.unicodeScalars.allSatisfy { $0.properties.isASCIIHexDigit || $0 == "." || $0 == ":" }
    guard isPlain, NetworkPrefix(text) != nil else {
      throw FieldProblem(
        field: "client_address", code: "not_an_address",
        detail: "The address is \(Self.quoted(text)). Send the IPv4 or IPv6 address of the user without a port, "
          + "such as 203.0.113.7 or 2001:db8::7.")
    }
    return text
  }

  /// The beginning of a text, without characters that are shown otherwise than they were sent.
  private static func quoted(_ text: String) -> String {
    "\"\(String(String.UnicodeScalarView(text.unicodeScalars.prefix(45).filter { (0x20...0x7E) ~= $0.value })))\""
  }
}
