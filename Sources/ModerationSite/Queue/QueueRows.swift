// SPDX-License-Identifier: Apache-2.0

import Localization
import Curation
import Foundation
import PageTemplates
import PhoneNumbers
import Storage

extension QueueList {
  /// A row of the list.
  struct Row: Encodable {
    let digits: Int64
    let number: String
    /// The page of the case, for windows without space for the case beside the list.
    let address: String
    /// The list with the case beside it.
    let split: String
    /// Whether the case is the one beside the list.
    let isOpen: Bool
    let country: String
    let countryName: String
    let causes: [Cause]
    /// The conditions that are not met.
    let missing: String
    let rank: String
    let rankName: String
    /// The rank's name; empty for cases that are not urgent.
    let urgent: String
    let level: String
    let category: String
    /// Reporters and days, such as `24 / 3`.
    let people: String
    /// The path of the chart of days: a vertical line for each of the last 64 days with a complaint.
    let days: String
    let daysName: String
    let heat: String
    let reports: String
    /// The newest comment, cut.
    let comment: String
    /// The time since the case was opened, such as `2 h`.
    let age: String
    let since: PageTime
    /// The account that has the claim; empty for none.
    let claimed: String
  }

  struct Cause: Encodable {
    let cause: String
    let name: String
  }
}

extension QueueList.Row: TemplateValueConvertible {
  var templateValue: TemplateValue {
    [
      "digits": .text("\(digits)"), "number": .text(number), "address": .text(address), "split": .text(split),
      "isOpen": .flag(isOpen), "country": .text(country),
      "countryName": .text(countryName), "causes": causes.templateValue, "missing": .text(missing),
      "rank": .text(rank), "rankName": .text(rankName), "urgent": .text(urgent), "level": .text(level),
      "category": .text(category),
      "people": .text(people), "days": .text(days), "daysName": .text(daysName), "heat": .text(heat),
      "reports": .text(reports), "comment": .text(comment), "age": .text(age), "since": since.templateValue,
      "claimed": .text(claimed),
    ]
  }
}

extension QueueList.Cause: TemplateValueConvertible {
  var templateValue: TemplateValue { ["cause": .text(cause), "name": .text(name)] }
}

extension QueueList.Row {
  init(
    _ row: QueueRow, _ facts: QueueRowFacts, _ address: CaseAddress, isOpen: Bool, _ names: QueueNames,
    at now: Date, _ texts: Localizer
  ) {
    let item = row.item
    digits = item.number
    number = PhoneNumber(digits: item.number)?.formatted(.international) ?? "+\(item.number)"
    self.address = CaseAddress(address.queue, on: .queue).address(of: item.number)
    split = address.address(of: item.number)
    self.isOpen = isOpen
    country = item.country ?? "–"
    countryName = item.country.map { texts.country($0) } ?? names.nowhere
    causes = item.causes.all.map { QueueList.Cause(cause: $0.rawValue, name: names.causes[$0] ?? "") }
    missing = facts.missing.isEmpty ? "–" : facts.missing.map { names.conditions[$0] ?? "" }.joined(separator: ", ")
    let rank = Urgency.rank(of: item.urgency)
    self.rank = rank == .harm ? "alarm" : rank == .rising ? "warn" : "quiet-badge"
    rankName = names.ranks[rank] ?? ""
    urgent = rank == .waiting ? "" : names.ranks[rank] ?? ""
    level = item.level > 0 ? texts("queue.level.\(item.level)") : ""
    category = item.category.map { texts.category($0) } ?? "–"
    people = "\(texts.number(facts.reporters)) / \(texts.number(facts.days.count))"
    days = Self.path(facts.days, today: ComplaintDays.day(of: now))
    daysName = days.isEmpty ? "" : texts.count("queue.days-name", facts.days.count)
    heat = texts.decimal(Decay.heat.value(ofStoredSum: row.heat, at: now))
    reports = texts.number(row.reports)
    comment = facts.comment.map { Self.text($0, names) } ?? ""
    age = Self.age(item.since, at: now, texts)
    since = PageTime(item.since, texts)
    claimed = item.claim.flatMap { $0.until > now ? $0.account : nil } ?? ""
  }

  /// The most characters of a comment.
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
