// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Moderation
import NIOCore
import PhoneNumbers
import Storage

/// The queue's list, the next case, and the requests that the script of an open case sends.
struct QueuePages: Sendable {
  let queue: QueueStore
  let claims: ClaimService
  let filters: SavedFilterService
  let queueCounts: QueueCountCache
  let pages: PageRenderer

  static let path = "/moderation/queue"

  /// - Parameters:
  ///   - place: the cursor; nil for the first page.
  ///   - open: the case beside the list; nil for the list alone.
  func list(
    _ address: QueueAddress, after place: QueuePlace? = nil, notes: QueueNotes, beside open: CasePage? = nil,
    _ context: ServerRequestContext, status: HTTPResponse.Status = .ok
  ) async throws -> Response {
    let worker = try context.worker
    let listing = try await queue.list(
      address.filter, by: address.order, after: place, for: worker, limit: QueueStore.pageSize + 1, at: Date())
    let totals = try await queueCounts.current()
    // The badge in the navigation is of the same moment as the heading.
    var context = context
    context.waiting = WaitingCaseCounts(totals.byLevel, level: worker.level)
    let list = QueueList(
      listing: listing, queueCounts: totals, address: address, after: place, worker: worker,
      notes: notes, open: open)
    return try pages.page(
      "queue", list.record(pages.texts(context)), context,
      status: notes.problem.isEmpty ? status : .unprocessableContent)
  }

  /// `POST /moderation/queue/next`: claims and opens the most urgent case without a claim that was not skipped before.
  @Sendable func next(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await openNext(CaseAddress(context.form), context, leaving: context.form)
  }

  /// Opens the next case, or the list if there is none.
  /// - Parameters:
  ///   - address: the page of the case to leave. The next one is on a page of the same kind.
  ///   - form: names the case to leave and its claim; nil if there is no claim to release.
  ///   - done: the action that the next page confirms.
  func openNext(
    _ address: CaseAddress, _ context: ServerRequestContext, leaving form: Form?, done: String? = nil
  ) async throws -> Response {
    let worker = try context.worker
    var (address, page) = (address.queue, address.page)
    if done == nil, let left = form?["number"].flatMap({ Int64($0) }) { address.skip(left) }
    let item = try await claims.claimNext(address.filter, skipping: address.skipped, by: worker, at: Date())
    if let form { try await release(form, worker) }
    if let item, address.skipped.contains(item.number) { address.startAgain() }
    let more = done.map { [(name: "did", value: $0)] } ?? []
    guard let item else {
      await queueCounts.forget()
      return .redirect(to: address.list(Self.path, more + [("done", "1")]), type: .normal)
    }
    if page == .number { page = .queue }
    return .redirect(to: CaseAddress(address, on: page).address(of: item.number, more), type: .normal)
  }

  /// `POST /moderation/queue/release`: releases a claim and redirects to the list.
  @Sendable func release(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await release(context.form, try context.worker)
    return .redirect(to: CaseAddress(context.form).list, type: .normal)
  }

  /// `POST /moderation/queue/ping`: renews the claim of an open page. 409 if another account has the case.
  @Sendable func ping(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let number = context.form["number"].flatMap({ Int64($0) }) else { throw Problem.notFound }
    let isTheirs = try await claims.renew(number, account: try context.worker.name, at: Date())
    return Response(status: isTheirs ? .noContent : .conflict)
  }

  /// `GET /moderation/queue/left`: the count of waiting cases, for the script of an open page.
  @Sendable func left(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (totals, worker, texts) = (try await queueCounts.current(), try context.worker, pages.texts(context))
    let filter = QueueAddress(request).filter
    let count = totals.count(filter, level: worker.level, account: worker.name)
    let (text, waiting) = (totals.left(filter, of: worker, texts), totals.count(level: worker.level))
    let digest = SHA256.hash(data: Data("\(count) \(text) \(waiting)".utf8)).prefix(8)
    let tag = "\"\(Hexadecimal.text(digest))\""
    let headers: HTTPFields = [.eTag: tag, .contentType: "application/json; charset=utf-8"]
    guard request.headers[.ifNoneMatch] != tag else { return Response(status: .notModified, headers: headers) }
    return Response(
      status: .ok, headers: headers,
      body: .init(byteBuffer: JSON.encode(Left(left: count, text: text, waiting: texts.number(waiting)))))
  }

  private struct Left: Encodable {
    let left: Int
    let text: String
    /// The count in the navigation.
    let waiting: String
  }

  private func release(_ form: Form, _ worker: Actor) async throws {
    guard let number = form["number"].flatMap({ Int64($0) }),
      let claim = form["claim"].flatMap({ UUID(uuidString: $0) })
    else { return }
    try await claims.release(number, claim: claim, account: worker.name)
  }
}

/// Saved filters of the queue.
extension QueuePages {
  /// `POST /moderation/queue/filters`: saves the filter and the order of the list under a name.
  @Sendable func saveFilter(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (worker, form, texts) = (try context.worker, context.form, pages.texts(context))
    let address = QueueAddress(form)
    let name = form["name"] ?? ""
    let problem: String
    do {
      let filter = try SavedFilter(
        account: worker.name, name: name, filter: address.filter, order: address.order,
        isShared: form["shared"] != nil)
      switch try await filters.save(filter, role: worker.role, at: Date()) {
      case .saved: return .redirect(to: address.address(Self.path, [("saved", "1")]), type: .normal)
      case .notShareable: throw Problem.needs(.moderator)
      case .full: problem = texts.count("queue.filters-full", SavedFilter.most)
      }
    } catch is RuleViolation {
      problem = texts.count("queue.filter-name-wrong", SavedFilter.nameLength)
    }
    return try await list(address, notes: QueueNotes(problem: problem, name: name), context)
  }

  /// `POST /moderation/queue/filters/delete`: deletes a saved filter; the list keeps its filter.
  @Sendable func deleteFilter(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let id = context.form["id"].flatMap({ UUID(uuidString: $0) }) else { throw Problem.notFound }
    guard try await filters.delete(id, by: try context.worker) else { throw Problem.needs(.administrator) }
    return .redirect(to: QueueAddress(context.form).address(Self.path), type: .normal)
  }
}
