import Curation
import Foundation
import PhoneNumbers
import Storage

/// Values of the template `queue`.
struct QueueList: Encodable {
  /// Something that can be filtered by.
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
    /// Who looks at it; empty for nobody.
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
  /// Bulks that broke off and that the reader may finish.
  let unfinished: [UnfinishedBulk]
  let isFiltered: Bool
  let canRule: Bool
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

  /// - Parameter rows: one more than a page has where there is another page.
  init(
    rows: [QueueRow], census: QueueCensus, unfinished: [BulkRun], address: QueueAddress, isFirst: Bool,
    worker: QueueWorker, isDone: Bool, texts: Texts
  ) {
    let (level, filter) = (worker.level, address.filter)
    let count = census.count(filter, level: level)
    left = texts.count("queue.left", count)
    leftAddress = address.address("/moderation/queue/left")
    hasAny = count > 0
    self.isDone = isDone && count > 0
    self.unfinished = unfinished.map { UnfinishedBulk($0, texts) }
    isFiltered = filter != QueueFilter()
    canRule = worker.role >= .moderator
    let shown = rows.prefix(QueueStore.pageSize)
    let now = Date()
    self.rows = shown.map { Row($0, address, at: now, texts) }
    hidden = address.hidden
    first = isFirst ? "" : address.address(QueuePages.path)
    if rows.count > shown.count, let last = shown.last {
      next = address.address(QueuePages.path, [("after", "\(last.item.urgency).\(last.item.number)")])
    } else {
      next = ""
    }
    total = texts.number(count)
    most = texts.number(Bulk.most)

    func choice(_ value: String, _ name: String, _ isChosen: Bool, _ change: (inout QueueFilter) -> Void) -> Choice {
      var other = filter
      change(&other)
      let count = texts.number(census.count(other, level: level))
      return Choice(value: value, name: "\(name) (\(count))", isChosen: isChosen)
    }
    countries = census.countries(filter, level: level).map { country, _ in
      choice(
        country.isEmpty ? QueueAddress.nowhere : country,
        country.isEmpty ? texts("queue.nowhere") : texts.country(country), filter.country == country
      ) { $0.country = country }
    }
    categories = ReportCategory.allCases.filter(\.isToxic).map { category in
      choice(category.slug, texts.category(category), filter.category == category) { $0.category = category }
    }
    causes = QueueCause.allCases.map { cause in
      choice(cause.rawValue, texts("queue.cause.\(cause.rawValue)"), filter.cause == cause) { $0.cause = cause }
    }
    ages = QueueFilter.ages.map { days in
      choice("\(days)", texts.count("queue.days", days), filter.days == days) { $0.days = days }
    }
  }
}

extension QueueList.Row {
  fileprivate init(_ row: QueueRow, _ address: QueueAddress, at now: Date, _ texts: Texts) {
    let item = row.item
    digits = item.number
    number = PhoneNumber(digits: item.number)?.formatted(.international) ?? "+\(item.number)"
    self.address = address.address("/moderation/numbers/\(item.number)", [("queue", "1")])
    country = item.country ?? "–"
    countryName = item.country.map { texts.country($0) } ?? texts("queue.nowhere")
    causes = item.causes.all.map { QueueList.Cause(cause: $0.rawValue, name: texts("queue.cause.\($0.rawValue)")) }
    let rank = Urgency.rank(of: item.urgency)
    self.rank = rank == .harm ? "alarm" : rank == .rising ? "warn" : "quiet-badge"
    rankName = texts("queue.rank.\(rank)")
    category = item.category.map { texts.category($0) } ?? "–"
    heat = Figure.decimal(Decay.heat.value(ofMass: row.mass, at: now))
    reports = texts.number(row.reports)
    since = PageTime(item.since)
    claimed = item.claim.flatMap { $0.until > now ? $0.account : nil } ?? ""
    level = item.level > 0 ? texts("queue.level.\(item.level)") : ""
  }
}
