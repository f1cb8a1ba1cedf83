// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
import Curation
import Foundation
import Hummingbird
import Storage

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
        account: worker.account, name: name, filter: address.filter, order: address.order,
        isShared: form["shared"] != nil)
      switch try await queue.save(filter, role: worker.role, at: Date()) {
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
    guard try await queue.deleteFilter(id, by: try context.worker) else { throw Problem.needs(.administrator) }
    return .redirect(to: QueueAddress(context.form).address(Self.path), type: .normal)
  }
}
