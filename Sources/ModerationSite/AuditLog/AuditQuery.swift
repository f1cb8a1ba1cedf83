// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Hummingbird
import Storage

/// The filter and cursor of the audit log in an address.
struct AuditQuery: Encodable {
  let actor: String
  let action: String
  let subject: String
  /// Days such as `2026-11-21` in UTC, both inclusive.
  let from: String
  let to: String
  let after: AuditCursor?

  /// The fields that the page's form shows.
  private enum CodingKeys: CodingKey {
    case action, subject, from, to
  }

  init(_ request: Request) {
    let query = request.uri.queryParameters
    func text(_ name: Substring) -> String {
      String((query[name].map(String.init) ?? "").trimmingCharacters(in: .whitespacesAndNewlines).prefix(200))
        .replacing("\0", with: "")
    }
    (actor, action, subject) = (text("actor"), text("action"), text("subject"))
    (from, to) = (text("from"), text("to"))
    after = Self.cursor(text("after"))
  }

  /// - Parameter role: the reader's. Events of golden cases name a number that a moderator may get as a golden case, so
  ///   only administrators see them.
  func filter(for role: Role) -> AuditFilter {
    func wish(_ text: String) -> String? { text.isEmpty ? nil : text }
    var filter = AuditFilter(
      actor: wish(actor), action: wish(action), subject: wish(subject), since: Self.day(from),
      until: Self.day(to)?.addingTimeInterval(86_400))
    if role < .administrator { filter.excluded = "golden." }
    return filter
  }

  var isEmpty: Bool { [actor, action, subject, from, to].allSatisfy(\.isEmpty) }

  /// The query of the same filter, starting after a cursor.
  func query(after cursor: AuditCursor? = nil) -> String {
    var fields = [("actor", actor), ("action", action), ("subject", subject), ("from", from), ("to", to)]
    if let cursor { fields.append(("after", Self.text(cursor))) }
    let allowed = CharacterSet(charactersIn: "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return fields.filter { !$0.1.isEmpty }
      .map { "\($0.0)=\($0.1.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")" }
      .joined(separator: "&")
  }

  /// Microseconds since 1970, the database's precision, and the event's id.
  private static func text(_ cursor: AuditCursor) -> String {
    "\(Int64((cursor.time.timeIntervalSince1970 * 1_000_000).rounded()))_\(cursor.id.uuidString.lowercased())"
  }

  private static func cursor(_ text: String) -> AuditCursor? {
    let parts = text.split(separator: "_")
    guard parts.count == 2, let time = Int64(parts[0]), time.magnitude < 1 << 53,
      let id = UUID(uuidString: String(parts[1]))
    else { return nil }
    return AuditCursor(time: Date(timeIntervalSince1970: Double(time) / 1_000_000), id: id)
  }

  private static func day(_ text: String) -> Date? {
    guard text.wholeMatch(of: /\d{4}-\d{2}-\d{2}/) != nil else { return nil }
    return try? Date("\(text)T00:00:00Z", strategy: .iso8601)
  }
}
