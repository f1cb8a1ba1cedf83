// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import Hummingbird
import Storage

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

  /// The page of a number.
  init(ofNumber request: Request) {
    self.init(QueueAddress(request), on: request.uri.queryParameters["queue"] != nil ? .queue : .number)
  }

  /// The list of the queue with a case beside it.
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

  /// The list's cursor as a field of an address.
  var cursor: [(name: String, value: String)] { after.map { [("after", $0.text)] } ?? [] }

  /// The list of the queue, which starts again with all cases; beside a case, the page of it that was shown.
  var list: String { queue.list(QueuePages.path, cursor) }

  /// The page and the filter as hidden fields.
  var hidden: [HiddenField] {
    var fields = queue.hidden
    if isOfQueue { fields.append(HiddenField(name: "queue", value: "1")) }
    if page == .split { fields.append(HiddenField(name: "split", value: "1")) }
    if let after { fields.append(HiddenField(name: "after", value: after.text)) }
    return fields
  }
}
