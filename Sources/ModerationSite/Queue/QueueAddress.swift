// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import Storage

/// A filter of the queue and its order: `country`, `category`, `cause`, `days`, `mine` and `sort` in an address. In a form the
/// names have the prefix `filter_`, because the form of a decision has a `category` of its own.
struct QueueAddress: Sendable, Equatable {
  var filter = QueueFilter()
  var order = QueueOrder.urgency
  /// The cases that were left for the next one, the newest last: "Next case" does not lead back to them.
  private(set) var skipped: [Int64] = []

  /// More would make addresses long. Cases beyond are reached by decisions and "Not sure" alone.
  private static let maxSkipped = 200

  /// The value for numbers without a country.
  static let nowhere = "-"

  init(_ filter: QueueFilter, by order: QueueOrder = .urgency) {
    self.filter = filter
    self.order = order
  }

  /// Ignores unknown values, so that an old bookmark shows more cases instead of an error.
  /// - Parameter field: returns the value of a field; nil if it is missing.
  init(_ field: (String) -> String?) {
    if let country = field("country") {
      let isCode = country.utf8.count == 2 && country.utf8.allSatisfy { (65...90).contains($0) }
      filter.country = country == Self.nowhere ? "" : isCode ? country : nil
    }
    filter.category = field("category").flatMap { ReportCategory(slug: $0) }
    filter.cause = field("cause").flatMap { QueueCause(rawValue: $0) }
    filter.days = field("days").flatMap { Int($0) }.flatMap { QueueFilter.ages.contains($0) ? $0 : nil }
    filter.isMine = field("mine") == "1"
    order = field("sort").flatMap { QueueOrder(rawValue: $0) } ?? .urgency
    skipped = (field("skipped") ?? "").split(separator: ".").compactMap { Int64($0) }.suffix(Self.maxSkipped)
  }

  /// All cases were skipped: keeps the one that was left last, and offers the others again.
  mutating func startAgain() {
    skipped = skipped.suffix(1)
  }

  mutating func skip(_ number: Int64) {
    skipped = (skipped.filter { $0 != number } + [number]).suffix(Self.maxSkipped)
  }

  init(_ request: Request) {
    self.init { request.uri.queryParameters[Substring($0)].map(String.init) }
  }

  init(_ form: Form) {
    self.init { form[Self.prefix + $0] }
  }

  private static let prefix = "filter_"

  /// Names and values of the fields in an address. They need no escaping in an address.
  var fields: [(name: String, value: String)] {
    var fields: [(String, String)] = []
    if let country = filter.country { fields.append(("country", country.isEmpty ? Self.nowhere : country)) }
    if let category = filter.category { fields.append(("category", category.slug)) }
    if let cause = filter.cause { fields.append(("cause", cause.rawValue)) }
    if let days = filter.days { fields.append(("days", "\(days)")) }
    if filter.isMine { fields.append(("mine", "1")) }
    if order != .urgency { fields.append(("sort", order.rawValue)) }
    if !skipped.isEmpty { fields.append(("skipped", skipped.map(String.init).joined(separator: "."))) }
    return fields
  }

  /// - Parameters:
  /// - path: without a query.
  /// - more: further fields; their values need no escaping.
  func address(_ path: String, _ more: [(name: String, value: String)] = []) -> String {
    let query = (fields + more).map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    return query.isEmpty ? path : "\(path)?\(query)"
  }
}

extension QueueAddress {
  /// The address of the list, which starts again with all cases.
  func list(_ path: String, _ more: [(name: String, value: String)] = []) -> String {
    var copy = self
    copy.skipped = []
    return copy.address(path, more)
  }
}

extension QueueAddress {
  var hidden: [TemplateRecord] { fields.map { Self.hidden(Self.prefix + $0.name, $0.value) } }

  fileprivate static func hidden(_ name: String, _ value: String) -> TemplateRecord { ["name": name, "value": value] }
}

/// The page that shows a case, with the filter of the queue.
///
/// The forms of a case keep the page in the fields `queue` and `split`, and the list's cursor in `after`.
struct CaseAddress: Sendable {
  enum Page {
    /// The page of the number, opened from anywhere.
    case number
    /// The page of the number, opened from the queue: the next case follows.
    case queue
    /// The list of the queue with the case beside it.
    case split
  }

  var queue: QueueAddress
  var page: Page
  /// The cursor of the list beside the case; nil for its first page.
  var after: QueuePlace?

  init(_ queue: QueueAddress, on page: Page, after: QueuePlace? = nil) {
    (self.queue, self.page, self.after) = (queue, page, after)
  }

  /// The page that a form was on.
  init(_ form: Form) {
    let isSplit = form["split"] != nil
    self.init(
      QueueAddress(form), on: isSplit ? .split : form["queue"] != nil ? .queue : .number,
      after: isSplit ? form["after"].flatMap { QueuePlace($0) } : nil)
  }

  init(ofNumber request: Request) {
    self.init(QueueAddress(request), on: request.uri.queryParameters["queue"] != nil ? .queue : .number)
  }

  init(ofSplit request: Request) {
    let after = request.uri.queryParameters["after"]
    self.init(QueueAddress(request), on: .split, after: after.flatMap { QueuePlace($0) })
  }

  var isOfQueue: Bool { page != .number }

  /// - Parameter more: further fields; their values need no escaping.
  func address(of number: Int64, _ more: [(name: String, value: String)] = []) -> String {
    let path = "/moderation/numbers/\(number)"
    return switch page {
    case .number: queue.address(path, more)
    case .queue: queue.address(path, [("queue", "1")] + more)
    case .split:
      queue.address(QueuePages.path, [("case", "\(number)")] + cursor + more)
    }
  }

  /// The filter and the page of a form's address, with a question mark; empty for none. A form that is sent without a
  /// session returns to it.
  var query: String { queue.list("", isOfQueue ? [("queue", "1")] : []) }

  var cursor: [(name: String, value: String)] { after.map { [("after", $0.text)] } ?? [] }

  /// The list of the queue, which starts again with all cases; beside a case, the page of it that was shown.
  var list: String { queue.list(QueuePages.path, cursor) }

  var hidden: [TemplateRecord] {
    let own = [
      isOfQueue ? ("queue", "1") : nil, page == .split ? ("split", "1") : nil, after.map { ("after", $0.text) },
    ]
    return queue.hidden + own.compactMap { $0 }.map { QueueAddress.hidden($0.0, $0.1) }
  }
}
