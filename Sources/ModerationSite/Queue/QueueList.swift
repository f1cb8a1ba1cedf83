// SPDX-License-Identifier: Apache-2.0

import Localization
import Curation
import Foundation
import PageTemplates
import PhoneNumbers
import Storage

/// Values of the template `queue`.
struct QueueList: Encodable {
  /// A value of a filter.
  struct Choice: Encodable {
    let value: String
    let name: String
    let isChosen: Bool
  }

  struct Row: Encodable {
    let digits: Int64
    let number: String
    let address: String
    let country: String
    let countryName: String
    let causes: [Cause]
    let rank: String
    let rankName: String
    let category: String
    let heat: String
    let reports: String
    let since: PageTime
    /// The account that has the claim; empty for none.
    let claimed: String
    let level: String
  }

  struct Cause: Encodable {
    let cause: String
    let name: String
  }

  let left: String
  let leftAddress: String
  let hasAny: Bool
  let isDone: Bool
  /// Interrupted bulk decisions that the reader may finish.
  let unfinished: [UnfinishedBulk]
  let isFiltered: Bool
  let canDecide: Bool
  let rows: [Row]
  let countries: [Choice]
  let categories: [Choice]
  let causes: [Choice]
  let ages: [Choice]
  let hidden: [HiddenField]
  let first: String
  let next: String
  let total: String
  let most: String

  /// - Parameter rows: one more than a page holds if there is a next page.
  init(
    rows: [QueueRow], queueCounts: QueueTotals, unfinished: [BulkRun], address: QueueAddress, isFirst: Bool,
    worker: QueueWorker, isDone: Bool, texts: Localizer
  ) {
    let (level, filter) = (worker.level, address.filter)
    let counts = queueCounts.counts(filter, level: level)
    let count = counts.all
    left = texts.count("queue.left", count)
    leftAddress = address.address("/moderation/queue/left")
    hasAny = count > 0
    self.isDone = isDone && count > 0
    self.unfinished = unfinished.map { UnfinishedBulk($0, texts) }
    isFiltered = filter != QueueFilter()
    canDecide = worker.role >= .moderator
    let shown = rows.prefix(QueueStore.pageSize)
    let now = Date()
    let names = QueueNames(texts)
    self.rows = shown.map { Row($0, address, names, at: now, texts) }
    hidden = address.hidden
    first = isFirst ? "" : address.address(QueuePages.path)
    if rows.count > shown.count, let last = shown.last {
      next = address.address(QueuePages.path, [("after", "\(last.item.urgency).\(last.item.number)")])
    } else {
      next = ""
    }
    total = texts.number(count)
    most = texts.number(Bulk.most)

    func choice(_ value: String, _ name: String, _ isChosen: Bool, _ count: Int?) -> Choice {
      Choice(value: value, name: "\(name) (\(texts.number(count ?? 0)))", isChosen: isChosen)
    }
    countries = counts.countries.map { country, count in
      choice(
        country.isEmpty ? QueueAddress.nowhere : country,
        country.isEmpty ? texts("queue.nowhere") : texts.country(country), filter.country == country, count)
    }
    categories = ReportCategory.allCases.filter(\.isToxic).map { category in
      choice(category.slug, texts.category(category), filter.category == category, counts.byCategory[category])
    }
    causes = QueueCause.allCases.map { cause in
      choice(cause.rawValue, names.causes[cause] ?? "", filter.cause == cause, counts.byCause[cause])
    }
    ages = QueueFilter.ages.map { days in
      choice("\(days)", texts.count("queue.days", days), filter.days == days, counts.byDays[days])
    }
  }
}

extension QueueList.Row: TemplateValueConvertible {
  var templateValue: TemplateValue {
    [
      "digits": .text("\(digits)"), "number": .text(number), "address": .text(address), "country": .text(country),
      "countryName": .text(countryName), "causes": causes.templateValue,
      "rank": .text(rank), "rankName": .text(rankName), "category": .text(category), "heat": .text(heat),
      "reports": .text(reports), "since": since.templateValue, "claimed": .text(claimed),
      "level": .text(level),
    ]
  }
}

extension QueueList.Cause: TemplateValueConvertible {
  var templateValue: TemplateValue { ["cause": .text(cause), "name": .text(name)] }
}

extension QueueList.Choice: TemplateValueConvertible {
  var templateValue: TemplateValue { ["value": .text(value), "name": .text(name), "isChosen": .flag(isChosen)] }
}

extension QueueList.Row {
  fileprivate init(_ row: QueueRow, _ address: QueueAddress, _ names: QueueNames, at now: Date, _ texts: Localizer) {
    let item = row.item
    digits = item.number
    number = PhoneNumber(digits: item.number)?.formatted(.international) ?? "+\(item.number)"
    self.address = address.address("/moderation/numbers/\(item.number)", [("queue", "1")])
    country = item.country ?? "–"
    countryName = item.country.map { texts.country($0) } ?? names.nowhere
    causes = item.causes.all.map { QueueList.Cause(cause: $0.rawValue, name: names.causes[$0] ?? "") }
    let rank = Urgency.rank(of: item.urgency)
    self.rank = rank == .harm ? "alarm" : rank == .rising ? "warn" : "quiet-badge"
    rankName = names.ranks[rank] ?? ""
    category = item.category.map { texts.category($0) } ?? "–"
    heat = texts.decimal(Decay.heat.value(ofStoredSum: row.heat, at: now))
    reports = texts.number(row.reports)
    since = PageTime(item.since, texts)
    claimed = item.claim.flatMap { $0.until > now ? $0.account : nil } ?? ""
    level = item.level > 0 ? texts("queue.level.\(item.level)") : ""
  }
}

/// Names that rows use, looked up once per page.
private struct QueueNames {
  let causes: [QueueCause: String]
  let ranks: [Urgency.Rank: String]
  let nowhere: String

  init(_ texts: Localizer) {
    causes = Dictionary(
      uniqueKeysWithValues: QueueCause.allCases.map { ($0, texts("queue.cause.\($0.rawValue)")) })
    ranks = Dictionary(uniqueKeysWithValues: Urgency.Rank.allCases.map { ($0, texts("queue.rank.\($0)")) })
    nowhere = texts("queue.nowhere")
  }
}
