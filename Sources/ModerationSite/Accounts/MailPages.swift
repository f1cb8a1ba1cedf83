// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import Storage

/// `/moderation/account/mail`: the events that an account gets mails about.
struct MailPages: Sendable {
  let outbox: OutboxStore
  /// Whether this server sends mail.
  let isSent: Bool
  let pages: PageRenderer

  static let address = "\(AccountPages.address)/mail"

  @Sendable func form(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (address, events) = try await outbox.mails(of: try context.signedIn().id)
    return try show(
      address ?? "", chosen: Set(events), isSaved: request.uri.queryParameters["saved"] != nil, context)
  }

  @Sendable func choose(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let account = try context.signedIn()
    let events = Event.Kind.offered(to: account.role).filter { context.form["event_\($0.rawValue)"] != nil }
    let text = context.form.text("address") ?? ""
    let address = MailAddress(text)
    guard address != nil || (text.isEmpty && events.isEmpty) else {
      let problem = pages.texts(context)(text.isEmpty ? "mail.address-empty" : "mail.address-wrong")
      return try show(text, chosen: Set(events.map(\.rawValue)), problem: problem, context)
    }
    try await outbox.choose(address, events, of: account.id)
    return .redirect(to: "\(Self.address)?saved", type: .normal)
  }

  private func show(
    _ address: String, chosen: Set<String>, problem: String = "", isSaved: Bool = false,
    _ context: ServerRequestContext
  ) throws -> Response {
    let texts = pages.texts(context)
    let values: TemplateRecord = [
      "address": address, "problem": problem, "isSaved": isSaved, "isSent": isSent,
      "events": Event.Kind.offered(to: try context.signedIn().role).map { kind in
        TemplateRecord.choice(
          kind.rawValue, texts("mail.event.\(kind.rawValue)"), isChosen: chosen.contains(kind.rawValue))
      },
    ]
    return try pages.page("mail", values, context, status: problem.isEmpty ? .ok : .unprocessableContent)
  }
}
