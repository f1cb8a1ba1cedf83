// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Moderation
import PhoneNumbers
import Storage

/// A page of the list of the queue.
struct QueueList {
  /// One case more than a page holds if there is a next page.
  let listing: QueueListing
  let queueCounts: QueueTotals
  let address: QueueAddress
  /// The cursor; nil for the first page.
  let after: QueuePlace?
  let worker: Actor
  let notes: QueueNotes
  /// The case beside the list.
  let open: CasePage?
  let now = Date()

  private var shown: ArraySlice<QueueRow> { listing.rows.prefix(QueueStore.pageSize) }

  /// Values of the template `queue`.
  func record(_ texts: Localizer) -> TemplateRecord {
    let counts = queueCounts.counts(address.filter, level: worker.level, account: worker.name)
    let names = QueueNames(texts)
    let split = CaseAddress(address, on: .split, after: after)
    let rows = shown.map { row in
      QueueListRow(
        row: row, facts: listing.facts[row.item.number] ?? QueueRowFacts(), names: names, now: now, texts: texts
      ).record(split, isOpen: row.item.number == open?.number.digits)
    }
    let page: TemplateRecord = [
      "left": queueCounts.left(address.filter, of: worker, texts),
      "leftAddress": address.address("/moderation/queue/left"),
      "beside": open?.record(at: now, texts),
      // The last action; a case beside the list shows it itself.
      "notice": notes.did?.record(texts), "hasAny": counts.all > 0, "isDone": notes.isDone && counts.all > 0,
      "unfinished": listing.unfinished.map { $0.unfinishedRecord(texts) },
      "isFiltered": address.filter != QueueFilter(), "canDecide": worker.role >= .moderator, "rows": rows,
      "shows": QueueColumns.record(rows, texts), "selectAll": texts.count("queue.select-all", rows.count),
      "isMine": address.filter.isMine,
      "saved": mine(counts, texts) + listing.savedFilters.map { saved($0, texts) }, "isSaved": notes.isSaved,
      "problem": notes.problem,
      "typedName": notes.name, "hidden": address.hidden, "first": first, "next": next,
      "total": texts.number(counts.all), "most": texts.number(Bulk.most),
    ]
    return page.adding(choices(counts, names, texts))
  }

  /// The address of the first page; empty on it.
  private var first: String {
    guard after != nil else { return "" }
    return open.map { CaseAddress(address, on: .split).address(of: $0.number.digits) }
      ?? address.address(QueuePages.path)
  }

  /// The address of the next page; empty on the last one.
  private var next: String {
    guard listing.rows.count > shown.count, let last = shown.last else { return "" }
    let place = address.order.place(of: last)
    return open.map { CaseAddress(address, on: .split, after: place).address(of: $0.number.digits) }
      ?? address.address(QueuePages.path, [("after", place.text)])
  }

  /// The values of each filter with their counts, and the orders.
  private func choices(_ counts: QueueCounts, _ names: QueueNames, _ texts: Localizer) -> TemplateRecord {
    let filter = address.filter
    func choice(_ value: String, _ name: String, _ isChosen: Bool, _ count: Int?) -> TemplateRecord {
      .choice(value, "\(name) (\(texts.number(count ?? 0)))", isChosen: isChosen)
    }
    return [
      "countries": counts.countries.map { country, count in
        let (value, name) =
          country.isEmpty ? (QueueAddress.nowhere, texts("queue.nowhere")) : (country, texts.country(country))
        return choice(value, name, filter.country == country, count)
      },
      "categories": ReportCategory.allCases.filter(\.isToxic).map { category in
        choice(category.slug, texts.category(category), filter.category == category, counts.byCategory[category])
      },
      "causes": QueueCause.allCases.map { cause in
        choice(cause.rawValue, names.causes[cause] ?? "", filter.cause == cause, counts.byCause[cause])
      },
      "orders": QueueOrder.allCases.map { order in
        TemplateRecord.choice(
          order.rawValue, texts("queue.sort.\(order.rawValue)"), isChosen: order == address.order)
      },
      "ages": QueueFilter.ages.map { days in
        choice("\(days)", texts.count("queue.days", days), filter.days == days, counts.byDays[days])
      },
    ]
  }

  /// The filter of the cases that are assigned to the reader, before the saved ones; none where nothing is.
  private func mine(_ counts: QueueCounts, _ texts: Localizer) -> [TemplateRecord] {
    guard counts.mine > 0 || address.filter.isMine else { return [] }
    let own = QueueAddress(QueueFilter(isMine: true))
    return [
      [
        "id": "", "name": texts("queue.mine", ["count": texts.number(counts.mine)]),
        "address": own.address(QueuePages.path), "by": "", "isCurrent": own == address, "delete": "",
      ]
    ]
  }

  /// A saved filter: the account that shares it, and the name of the button that deletes it, for those who may.
  private func saved(_ saved: SavedFilter, _ texts: Localizer) -> TemplateRecord {
    let own = QueueAddress(saved.filter, by: saved.order)
    return [
      "id": saved.id.text, "name": saved.name, "address": own.address(QueuePages.path),
      "by": saved.account == worker.name ? "" : saved.account, "isCurrent": own == address,
      "delete": saved.canBeDeleted(by: worker) ? texts("queue.filter-delete", ["name": saved.name]) : "",
    ]
  }
}

/// Results of earlier actions that the list of the queue shows.
struct QueueNotes {
  /// Whether no further case could be claimed.
  var isDone = false
  /// The last action, which was about the last case.
  var did: DecisionNotice?
  var isSaved = false
  /// The reason why a filter was not saved; empty for none.
  var problem = ""
  /// The name that was typed.
  var name = ""
}
