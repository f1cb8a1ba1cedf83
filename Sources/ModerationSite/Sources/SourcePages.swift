// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
import Storage

/// `/moderation/sources`: the lists that are downloaded. Administrators may refresh them and change their ceilings.
struct SourcePages: Sendable {
  let feeds: FeedStore
  let pages: PageRenderer

  static let address = "/moderation/sources"

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let texts = pages.texts(context)
    let rows = try await feeds.list().map { SourceFeedRow($0, texts) }
    let page = SourcesPage(
      rows: rows, failing: rows.count { !$0.error.isEmpty },
      done: texts.find("sources.done-\(request.query("done"))") ?? "")
    return try pages.page("sources", page, context)
  }

  @Sendable func refresh(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let moderator = context.moderator, let name = context.form["name"] else { throw Problem.notFound }
    let event = Actor(moderator).did("source.refresh", to: name)
    guard try await feeds.hasten(name, at: Date(), audit: event) else { throw Problem.notFound }
    return .redirect(to: "\(Self.address)?done=refresh", type: .normal)
  }

  @Sendable func changeCeiling(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let moderator = context.moderator, let name = context.form["name"],
      let ceiling = context.form["ceiling"].flatMap(SourceCeiling.init),
      let feed = try await feeds.feed(named: name)
    else { throw Problem.notFound }
    let event = Actor(moderator).did(
      "source.ceiling", to: name, before: ["ceiling": feed.settings.ceiling.rawValue],
      after: ["ceiling": ceiling.rawValue])
    guard try await feeds.change(name, to: ceiling, at: Date(), audit: event) else { throw Problem.notFound }
    return .redirect(to: "\(Self.address)?done=ceiling", type: .normal)
  }
}

/// Values of the template `sources`.
struct SourcesPage: Encodable {
  let rows: [SourceFeedRow]
  let failing: Int
  let done: String
}

/// A source as a row.
struct SourceFeedRow: Encodable {
  /// A ceiling that can be chosen.
  struct Choice: Encodable {
    let value: String
    let text: String
    let isChosen: Bool
  }

  let name: String
  let url: String
  let format: String
  let license: String
  let entries: String
  /// Empty before the first success.
  let refreshed: [PageTime]
  let next: PageTime
  /// Empty after a success.
  let error: String
  let detail: String
  let failures: String
  let ceilings: [Choice]

  init(_ feed: SourceFeed, _ texts: Localizer) {
    let settings = feed.settings
    (name, url, format) = (settings.name, settings.url, settings.format.rawValue)
    license = settings.license ?? texts("sources.license-unknown")
    entries = texts.number(feed.state.entries)
    refreshed = feed.state.refreshedAt.map { [PageTime($0, texts)] } ?? []
    next = PageTime(feed.nextAt, texts)
    let parts = feed.failure.map { texts.parts("sources.failure", $0) }
    (error, detail) = (parts?.text ?? "", parts?.detail ?? "")
    failures = feed.failures > 0 ? texts.count("sources.failures", feed.failures) : ""
    ceilings = SourceCeiling.allCases.map { ceiling in
      Choice(
        value: ceiling.rawValue, text: texts("sources.ceiling-\(ceiling.rawValue)"),
        isChosen: ceiling == settings.ceiling)
    }
  }
}
