// SPDX-License-Identifier: Apache-2.0

import Localization

/// The columns that a page of the list shows. A column with the same value in all of several rows is left out, and the
/// value is named once above the table.
struct QueueColumns: Encodable {
  /// A column that is left out, with its value.
  struct Fixed: Encodable {
    let name: String
    let value: String
  }

  let why: Bool
  let urgency: Bool
  /// The column of causes and urgency.
  let reason: Bool
  let missing: Bool
  let category: Bool
  let people: Bool
  let days: Bool
  /// The column of reporters and days.
  let activity: Bool
  let heat: Bool
  let reports: Bool
  let age: Bool
  let comment: Bool
  /// Below the number.
  let country: Bool
  /// Below the number.
  let who: Bool
  /// Columns without any value are not named.
  let fixed: [Fixed]

  init(_ rows: [QueueList.Row], _ texts: Localizer) {
    var fixed: [Fixed] = []
    func differs(_ name: String, _ value: (QueueList.Row) -> String) -> Bool {
      guard rows.count > 1, let first = rows.first.map(value), rows.allSatisfy({ value($0) == first }) else {
        return true
      }
      if !first.isEmpty, first != "–" { fixed.append(Fixed(name: texts(name), value: first)) }
      return false
    }
    country = differs("queue.country") { $0.country == "–" ? "" : $0.countryName }
    why = differs("queue.why") { $0.causes.map(\.name).joined(separator: ", ") }
    urgency = differs("queue.urgency") { $0.level.isEmpty ? $0.rankName : "\($0.rankName), \($0.level)" }
    reason = why || urgency
    missing = differs("queue.missing") { $0.missing }
    category = differs("queue.category") { $0.category }
    people = differs("queue.people") { $0.people }
    // A chart has no name to show above the table.
    days = Set(rows.map(\.days)).count > 1 || rows.count == 1
    activity = people || days
    heat = differs("queue.heat") { $0.heat }
    reports = differs("queue.reports") { $0.reports }
    age = differs("queue.waiting") { $0.age }
    comment = differs("queue.comment") { $0.comment }
    who = differs("queue.who") { $0.claimed }
    self.fixed = fixed
  }
}
