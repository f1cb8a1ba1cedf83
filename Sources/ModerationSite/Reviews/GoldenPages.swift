// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
import Curation
import Foundation
import HTTPTypes
import Hummingbird
import PhoneNumbers
import Storage

/// `/moderation/golden`: golden cases, for administrators.
struct GoldenPages: Sendable {
  let reviews: ReviewStore
  let pages: PageRenderer

  static let address = "/moderation/golden"

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let done = pages.texts(context).find("reviews.golden-\(request.query("done"))") ?? ""
    return try await show(context, done: done)
  }

  @Sendable func mark(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (worker, texts) = (try context.worker, pages.texts(context))
    switch NumberField.read(context.form.text("number") ?? "", country: nil) {
    case .failure(let problem): return try await show(context, problem: texts(problem.key))
    case .success(let number):
      guard try await reviews.mark(number.digits, by: worker.account, role: worker.role, at: Date()) else {
        return try await show(context, problem: texts("reviews.golden-undecided"))
      }
      return .redirect(to: "\(Self.address)?done=marked", type: .normal)
    }
  }

  @Sendable func remove(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (worker, form) = (try context.worker, context.form)
    guard let number = form["number"].flatMap({ Int64($0) }),
      let id = form["decision"].flatMap({ UUID(uuidString: $0) })
    else { throw Problem.notFound }
    _ = try await reviews.unmark(number, id, by: worker.account, role: worker.role, at: Date())
    return .redirect(to: "\(Self.address)?done=removed", type: .normal)
  }

  private func show(
    _ context: ServerRequestContext, done: String = "", problem: String = ""
  ) async throws -> Response {
    let texts = pages.texts(context)
    let page = GoldenPage(
      done: done, typed: String((context.form["number"] ?? "").prefix(100)), problem: problem,
      rows: try await reviews.goldenCases().map { GoldenRow($0, texts) })
    return try pages.page("golden", page, context, status: problem.isEmpty ? .ok : .unprocessableContent)
  }
}

/// Values of the template `golden`.
struct GoldenPage: Encodable {
  let done: String
  let typed: String
  let problem: String
  let rows: [GoldenRow]
}

/// A golden case.
struct GoldenRow: Encodable {
  let digits: Int64
  let number: String
  let decision: String
  let treatment: String
  let markedBy: String
  let markedAt: PageTime
  let answers: String

  init(_ golden: GoldenCase, _ texts: Localizer) {
    digits = golden.number
    number = NumberText.text(golden.number)
    decision = golden.decisionID.uuidString.lowercased()
    treatment = texts("reviews.treatment.\(golden.treatment.rawValue)")
    markedBy = golden.markedBy
    markedAt = PageTime(golden.markedAt, texts)
    answers = golden.answers == 0 ? "–" : "\(texts.number(golden.right)) / \(texts.number(golden.answers))"
  }
}
