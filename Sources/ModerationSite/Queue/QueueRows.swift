// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Storage

struct QueueListRow {
  let row: QueueRow
  let facts: QueueRowFacts
  let names: QueueNames
  let now: Date
  let texts: Localizer

  /// - Parameters:
  ///   - address: the list with a case beside it.
  ///   - isOpen: whether the case is the one beside the list.
  func record(_ address: CaseAddress, isOpen: Bool) -> TemplateRecord {
    let item = row.item
    let rank = Urgency.rank(of: item.urgency)
    let rankName = names.ranks[rank] ?? ""
    let level = item.levelText(texts)
    let causes = item.causes.all
    let days = Self.path(facts.days, today: ComplaintDays.day(of: now))
    let missing = facts.missing.map { names.conditions[$0] ?? "" }.joined(separator: ", ")
    return [
      "digits": item.number, "number": NumberText.text(item.number),
      // The page of the case, for windows without space for the case beside the list.
      "address": CaseAddress(address.queue, on: .queue).address(of: item.number),
      "split": address.address(of: item.number), "isOpen": isOpen, "country": item.country ?? "–",
      "countryName": item.country.map { texts.country($0) } ?? names.nowhere,
      "causes": causes.map { ["cause": $0.rawValue, "name": names.causes[$0] ?? ""] as TemplateRecord },
      "missing": facts.missing.isEmpty ? "–" : missing,
      "rank": rank == .harm ? "alarm" : rank == .rising ? "warn" : "quiet-badge",
      "urgent": rank == .waiting ? "" : rankName, "level": level,
      "category": item.category.map { texts.category($0) } ?? "–",
      "people": "\(texts.number(facts.reporters)) / \(texts.number(facts.days.count))", "days": days,
      "daysName": days.isEmpty ? "" : texts.count("queue.days-name", facts.days.count),
      "heat": texts.decimal(Decay.heat.value(ofStoredSum: row.heat, at: now)), "reports": texts.number(row.reports),
      "comment": facts.comment.map { Self.text($0, names) } ?? "", "age": Self.age(item.since, at: now, texts),
      "since": PageTime(item.since, texts), "claimed": item.claim.flatMap { $0.until > now ? $0.account : nil } ?? "",
      // Columns that a row shows in parts.
      "place": item.country.map { texts.country($0) } ?? "",
      "why": causes.map { names.causes[$0] ?? "" }.joined(separator: ", "),
      "urgency": level.isEmpty ? rankName : "\(rankName), \(level)",
    ]
  }

  /// The maximum characters of a comment.
  private static let commentLength = 90

  /// A comment in one line. A comment on harassment may itself be harassment, so it is shown on the page of the case
  /// only.
  private static func text(_ comment: NewestComment, _ names: QueueNames) -> String {
    guard comment.category != .harassment else { return names.hidden }
    let line = comment.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return line.count > commentLength ? "\(line.prefix(commentLength - 1))…" : line
  }

  /// The newest day is on the right.
  private static func path(_ days: ComplaintDays, today: Int32) -> String {
    guard let last = days.lastDay else { return "" }
    let first = max(0, today - last)
    var path = ""
    for bit in (Int32(0)..<64).reversed() where days.bits & 1 << UInt64(bit) != 0 && first + bit < 64 {
      path += "M\(63 - first - bit) 0v8"
    }
    return path
  }

  private static func age(_ since: Date, at now: Date, _ texts: Localizer) -> String {
    let minutes = max(1, Int(now.timeIntervalSince(since) / 60))
    switch minutes {
    case ..<60: return texts("queue.age-minutes", ["count": texts.number(minutes)])
    case ..<(48 * 60): return texts("queue.age-hours", ["count": texts.number(minutes / 60)])
    default: return texts("queue.age-days", ["count": texts.number(minutes / 60 / 24)])
    }
  }
}

extension QueueCase {
  /// The accounts that the case is for: a colleague, or a role; empty for all.
  func levelText(_ texts: Localizer) -> String {
    assignedTo.map { texts("queue.assigned", ["name": $0]) } ?? (level > 0 ? texts("queue.level.\(level)") : "")
  }
}

/// Names that rows use, looked up once per page.
struct QueueNames {
  let causes: [QueueCause: String]
  let ranks: [Urgency.Rank: String]
  let conditions: [ListingCondition.Kind: String]
  let nowhere: String
  let hidden: String

  init(_ texts: Localizer) {
    causes = Dictionary(
      uniqueKeysWithValues: QueueCause.allCases.map { ($0, texts("queue.cause.\($0.rawValue)")) })
    ranks = Dictionary(uniqueKeysWithValues: Urgency.Rank.allCases.map { ($0, texts("queue.rank.\($0)")) })
    conditions = Dictionary(
      uniqueKeysWithValues: ListingCondition.Kind.allCases.map { ($0, texts("explanation.conditions.\($0.rawValue)")) })
    nowhere = texts("queue.nowhere")
    hidden = texts("queue.comment-hidden")
  }
}

/// The columns that a page of the list shows. A column with the same value in all of several rows is left out, and the
/// value is named once above the table; columns without any value are not named.
enum QueueColumns {
  static func record(_ rows: [TemplateRecord], _ texts: Localizer) -> TemplateRecord {
    var fixed: [TemplateRecord] = []
    func differs(_ column: String, _ name: String) -> Bool {
      guard rows.count > 1, case .text(let first) = rows.first?[column],
        rows.allSatisfy({ $0[column] == .text(first) })
      else { return true }
      if !first.isEmpty, first != "–" {
        fixed.append(["text": texts("queue.fixed", ["name": texts(name), "value": first])])
      }
      return false
    }
    let country = differs("place", "queue.country")
    let (why, urgency) = (differs("why", "queue.why"), differs("urgency", "queue.urgency"))
    let (missing, category) = (differs("missing", "queue.missing"), differs("category", "queue.category"))
    let people = differs("people", "queue.people")
    // A chart has no name to show above the table.
    let days = rows.count == 1 || rows.contains { $0["days"] != rows[0]["days"] }
    let columns: TemplateRecord = [
      "country": country, "why": why, "urgency": urgency, "reason": why || urgency, "missing": missing,
      "category": category, "people": people, "days": days, "activity": people || days,
      "heat": differs("heat", "queue.heat"), "reports": differs("reports", "queue.reports"),
      "age": differs("age", "queue.waiting"), "comment": differs("comment", "queue.comment"),
      "who": differs("claimed", "queue.who"),
    ]
    return columns.adding(["fixed": fixed])
  }
}
