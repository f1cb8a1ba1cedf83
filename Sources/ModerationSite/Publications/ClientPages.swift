// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import Hummingbird
import Storage

/// `/moderation/clients`: how old the publications are that apps and tools hold, by version.
struct ClientPages: Sendable {
  let clients: ClientFetchStore
  let publications: PublicationStore
  let pages: PageRenderer

  private static let days = 7
  /// The names of ``ClientVersion/byAge``.
  private static let ages = ["day", "week", "month", "older"]

  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let texts = pages.texts(context)
    let versions = try await clients.versions(since: Date() - Double(Self.days) * 86_400)
    let newest = try await publications.latest()?.serial ?? 0
    let (known, old) = versions.reduce((Int64(0), 0.0)) { sum, version in
      let known = version.byAge.reduce(0, +)
      return (sum.0 + known, sum.1 + (version.oldShare ?? 0) * Double(known))
    }
    return try pages.page(
      "clients",
      [
        "share": known > 0 ? texts("clients.old", ["share": texts.percent(old / Double(known))]) : "",
        // All of its requests hold old publications, and there is a newer one.
        "stuck": versions.filter { $0.oldShare == 1 && $0.newest ?? newest < newest }.map { version in
          texts(
            "clients.stuck",
            ["product": name(version, texts), "version": version.version, "serial": "\(version.newest ?? 0)"])
        },
        "rows": versions.map { version in
          // The publications of the others are not kept.
          let (all, isKnown) = (Double(max(1, version.fetches)), !version.product.isEmpty)
          return [
            "product": name(version, texts), "version": version.version, "fetches": texts.number(Int(version.fetches)),
            "ages": zip(Self.ages, version.byAge).map { age, count in
              ["name": texts("clients.age.\(age)"), "share": isKnown ? texts.percent(Double(count) / all) : "–"]
                as TemplateRecord
            },
            "first": isKnown ? texts.percent(Double(version.first) / all) : "–",
            "unknown": isKnown ? texts.percent(Double(version.unknown) / all) : "–",
            "newest": version.newest.map { "\($0)" } ?? "–", "last": PageTime(version.lastHour, texts),
          ] as TemplateRecord
        },
        "ages": Self.ages.map { ["name": texts("clients.age.\($0)")] as TemplateRecord },
      ], context)
  }

  private func name(_ version: ClientVersion, _ texts: Localizer) -> String {
    version.product.isEmpty ? texts("clients.others") : version.product
  }
}
