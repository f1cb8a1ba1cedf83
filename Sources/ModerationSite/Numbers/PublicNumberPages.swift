// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import PhoneNumbers
import Storage

/// `/number/{number}`: the public page of a number, if the operator enables it.
struct PublicNumberPages: Sendable {
  let explanations: ExplanationStore
  let appeals: AppealStore
  let history: NumberPublicationPages
  let pages: PageRenderer
  let visibility: PublicNumberVisibility

  @Sendable func number(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let text = try context.parameters.require("number")
    let plain = (text.removingPercentEncoding ?? text).drop { $0 == "+" || $0 == " " }
    guard plain.utf8.count <= 15, let digits = Int64(plain), let number = PhoneNumber(digits: digits), number.isValid
    else { throw Problem.notFound }
    // Each number has one address.
    guard text == String(digits) else { return .redirect(to: "/number/\(digits)", type: .permanent) }
    let explanation = try await history.newest.stating(
      try await explanations.explainCoarsely(number.digits, at: Date()), appeals)
    let texts = pages.texts(context)
    let copies = await history.copies(texts)
    var response = try pages.page("public-number", Self.record(number, explanation, copies, texts), context)
    response.headers[.cacheControl] = "public, max-age=600"
    // Search engines may index only listed numbers.
    if visibility != .indexed || explanation.listing == nil { response.headers[.robots] = "noindex" }
    return response
  }

  /// Values of the template `public-number`. They include nothing about reporters and no text that people typed.
  private static func record(
    _ number: PhoneNumber, _ explanation: Explanation, _ copies: TemplateRecord?, _ texts: Localizer
  ) -> TemplateRecord {
    let listing = explanation.listing
    // The newest publication; the statement of reasons says what changes with the next one. A protected number is revoked at
    // once, and its owner may have asked for that.
    let shown = explanation.protection == nil ? explanation.shown : .out
    let isListed = shown != .out
    // A number may have a name and no category.
    let isNamed = explanation.decision.map { $0.treatment == .identify && $0.category == nil } ?? false
    // The exact count is hidden, so that callers cannot see the effect of a single report.
    let reports =
      switch explanation.score?.parts.reduce(Int64(0), { $0 + $1.reports }) ?? 0 {
      case 0: "lookup.reports-none"
      case ..<10: "lookup.reports-few"
      case ..<100: "lookup.reports-some"
      default: "lookup.reports-many"
      }
    let (state, tone) =
      shown == .block ? ("blocked", "alarm") : isListed ? ("named", "warn") : ("unlisted", "good")
    return [
      "number": number.formatted(.international), "digits": number.digits,
      "country": explanation.country.map(texts.country) ?? "", "headline": texts("lookup.\(state)"), "tone": tone,
      "meaning": texts("lookup.means-\(state)"),
      "isListed": isListed, "category": isNamed ? "" : listing.map { texts.category($0.category) } ?? "",
      "since": listing.map { PageTime($0.listedAt, texts) }, "reports": texts(reports), "copies": copies,
      "reasons": explanation.publicReasons(texts),
    ]
  }
}

extension Explanation {
  /// The statement of reasons as sentences, without text that people typed; empty where the number is neither listed nor
  /// decided about.
  func publicReasons(_ texts: Localizer) -> [String] {
    (statement?.lines ?? []).filter { $0.code != .decisionReason || isCommonReason(texts) }.map(texts.message)
      + (score?.calls.isMisused == true
        ? score.map { [texts.message("explanation", ExplanationLine.failed($0.calls))] } ?? [] : [])
  }

  private func isCommonReason(_ texts: Localizer) -> Bool { decisionReason.map { texts.reason($0) != $0 } ?? false }
}

package enum PublicNumberVisibility: String, Sendable, CaseIterable {
  /// The pages do not exist.
  case off
  /// Everybody can open them; search engines are asked not to index them.
  case hidden
  /// Everybody can open them; search engines may index listed numbers.
  case indexed
}
