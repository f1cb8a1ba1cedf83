// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Localization
import PageTemplates
import Storage

/// Values of the template `queue`.
struct QueueList: Encodable {
  /// A value of a filter.
  struct Choice: Encodable {
    let value: String
    let name: String
    let isChosen: Bool
  }

  /// A saved filter.
  struct Saved: Encodable {
    let id: String
    let name: String
    let address: String
    /// The account that shares it; empty for the reader's own.
    let by: String
    let isCurrent: Bool
    /// The name of the button that deletes it; empty if the reader may not.
    let delete: String
  }

  let left: String
  let leftAddress: String
  /// The case beside the list; at most one element.
  let beside: [CasePage]
  /// The last action; empty beside a case, which shows it.
  let notice: [DecisionNotice]
  let hasAny: Bool
  let isDone: Bool
  /// Interrupted bulk decisions that the reader may finish.
  let unfinished: [UnfinishedBulk]
  let isFiltered: Bool
  let canDecide: Bool
  let rows: [Row]
  /// The columns that the page shows.
  let shows: QueueColumns
  /// The name of the checkbox that selects all cases of the page.
  let selectAll: String
  let countries: [Choice]
  let categories: [Choice]
  let causes: [Choice]
  let ages: [Choice]
  let orders: [Choice]
  let saved: [Saved]
  let isSaved: Bool
  /// The reason why a filter was not saved; empty for none.
  let problem: String
  let typedName: String
  let hidden: [HiddenField]
  let first: String
  let next: String
  let total: String
  let most: String

  /// - Parameters:
  ///   - listing: one case more than a page holds if there is a next page.
  ///   - after: the cursor; nil for the first page.
  init(
    listing: QueueListing, queueCounts: QueueTotals, address: QueueAddress, after: QueuePlace?, worker: QueueWorker,
    notes: QueueNotes, beside open: CasePage?, texts: Localizer
  ) {
    let (level, filter) = (worker.level, address.filter)
    let counts = queueCounts.counts(filter, level: level)
    let count = counts.all
    left = texts.count("queue.left", count)
    leftAddress = address.address("/moderation/queue/left")
    beside = open.map { [$0] } ?? []
    notice = notes.did.map { [$0] } ?? []
    hasAny = count > 0
    isDone = notes.isDone && count > 0
    unfinished = listing.unfinished.map { UnfinishedBulk($0, texts) }
    isFiltered = filter != QueueFilter()
    canDecide = worker.role >= .moderator
    let shown = listing.rows.prefix(QueueStore.pageSize)
    let now = Date()
    let names = QueueNames(texts)
    let split = CaseAddress(address, on: .split, after: after)
    rows = shown.map { row in
      Row(
        row, listing.facts[row.item.number] ?? QueueRowFacts(), split, isOpen: row.item.number == open?.digits, names,
        at: now, texts)
    }
    shows = QueueColumns(rows, texts)
    selectAll = texts.count("queue.select-all", rows.count)
    hidden = address.hidden
    saved = listing.savedFilters.map { Saved($0, address, worker, texts) }
    (isSaved, problem, typedName) = (notes.isSaved, notes.problem, notes.name)
    let start = open.map { CaseAddress(address, on: .split).address(of: $0.digits) }
    first = after == nil ? "" : start ?? address.address(QueuePages.path)
    if listing.rows.count > shown.count, let last = shown.last {
      let place = address.order.place(of: last)
      next =
        open.map { CaseAddress(address, on: .split, after: place).address(of: $0.digits) }
        ?? address.address(QueuePages.path, [("after", place.text)])
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
    orders = QueueOrder.allCases.map { order in
      Choice(value: order.rawValue, name: texts("queue.sort.\(order.rawValue)"), isChosen: order == address.order)
    }
    ages = QueueFilter.ages.map { days in
      choice("\(days)", texts.count("queue.days", days), filter.days == days, counts.byDays[days])
    }
  }
}

extension QueueList.Saved {
  fileprivate init(_ saved: SavedFilter, _ current: QueueAddress, _ worker: QueueWorker, _ texts: Localizer) {
    let own = QueueAddress(saved.filter, by: saved.order)
    id = saved.id.uuidString.lowercased()
    name = saved.name
    address = own.address(QueuePages.path)
    by = saved.account == worker.account ? "" : saved.account
    isCurrent = own == current
    delete = saved.canBeDeleted(by: worker) ? texts("queue.filter-delete", ["name": saved.name]) : ""
  }
}

extension QueuePlace {
  /// The cursor in the link to the next page: `VALUE.NUMBER`.
  var text: String { "\(value).\(number)" }

  /// - Parameter text: nil is returned for any text but that of ``text``.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
    guard parts.count == 2, let value = parts[0], let number = parts[1] else { return nil }
    self.init(value: value, number: number)
  }
}

extension QueueList.Choice: TemplateValueConvertible {
  var templateValue: TemplateValue { ["value": .text(value), "name": .text(name), "isChosen": .flag(isChosen)] }
}

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

/// Results of earlier actions that the list of the queue shows.
struct QueueNotes {
  /// Whether no further case could be claimed.
  var isDone = false
  /// The last action, which was about the last case.
  var did: DecisionNotice?
  /// Whether a filter was saved.
  var isSaved = false
  /// The reason why a filter was not saved; empty for none.
  var problem = ""
  /// The name that was typed.
  var name = ""
}
