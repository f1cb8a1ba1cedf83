// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import Importing
import Logging
import Moderation
import Storage

/// Decisions of files: checked, made in the background, and undone as one.
struct BulksController: Sendable {
  let bulks: BulkStore
  let service: BulkService
  let bodies: BodyReader
  let texts: Localizer
  /// One file of an account at a time, because 100,000 rows take 55 MB.
  private let checking = AccountTurns<String>(most: 1, mostWaiting: 0)

  /// The most wrong rows, and numbers, in an answer.
  private static let shown = 100

  /// `POST /v1/moderation/bulks`: decides the rows of a CSV file or of JSON Lines.
  @Sendable func decide(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard try request.flag("dry_run") else { return try await decideNow(request, context) }
    return try await checking.take(try context.serviceAccount.name) { try await decideNow(request, context) }
  }

  private func decideNow(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    let (worker, id) = (try context.serviceAccount, try request.idempotencyKey())
    let format: DecisionFile.Format
    switch JSON.mediaType(of: request) {
    case "text/csv": format = .csv
    case "application/x-ndjson": format = .jsonLines
    default: throw Problem.unsupportedMediaType
    }
    let (isDryRun, skips) = (try request.flag("dry_run"), try request.flag("skip_invalid"))
    let (isReplacing, isConfirmed) = (try request.flag("replace"), try request.flag("confirm"))
    return try await bodies.read(request, .file, context: context) { data in
      let now = Date()
      let file = try await DecisionFile.read(data, as: format, at: now)
      if !isDryRun, let run = try await bulks.find(id) {
        guard run.isOf(file.rows, by: worker.name, at: now) else { throw Problem.conflict }
        // Its answer was lost, or its server has stopped.
        guard run.isUnfinished else { return try JSON.uncachedResponse(BulkAnswer(run)) }
        try await service.storeHeartbeat(of: id)
        work(context) { _ = try await service.finish(id, by: worker, at: now) }
        return try JSON.uncachedResponse(BulkAnswer(try await bulks.progress(id) ?? run))
      }
      let plan = try await service.plan(
        file.rows, id: id, by: worker, isReplacing: isReplacing, isConfirmed: isConfirmed, at: now)
      let wrong = (file.problems + (plan?.problems ?? [])).sorted { $0.line < $1.line }
      let fields = wrong.prefix(Self.shown).map { Problem.Field($0, texts) }
      if isDryRun {
        return try JSON.uncachedResponse(BulkAnswer(rows: plan?.items.count ?? 0, wrong: wrong.count, errors: fields))
      }
      guard wrong.isEmpty || skips, let plan, !plan.items.isEmpty else {
        throw Problem(
          .invalidDecision,
          detail: "Nothing was decided, because of wrong rows: \(wrong.count). The first are in `errors`, by line.",
          errors: fields)
      }
      guard try await service.store(plan), let run = try await bulks.progress(id) else { throw Problem.conflict }
      work(context) { _ = try await service.apply(plan.bulk, to: plan.items) }
      var answer = BulkAnswer(run)
      (answer.wrong, answer.errors) = (wrong.count, fields)
      return try JSON.uncachedResponse(answer, status: .accepted)
    }
  }

  /// `GET /v1/moderation/bulks/{bulk_id}`: the progress.
  @Sendable func read(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let run = try await bulks.progress(try context.uuid("bulk_id")) else { throw Problem.notFound }
    return try JSON.uncachedResponse(BulkAnswer(run))
  }

  /// `DELETE /v1/moderation/bulks/{bulk_id}`: undoes all decisions, in the background. Also 202 if they were undone
  /// before.
  @Sendable func undo(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (worker, id) = (try context.serviceAccount, try context.uuid("bulk_id"))
    guard let run = try await bulks.progress(id) else { throw Problem.notFound }
    if run.undoneBy == nil { work(context) { _ = try await service.undo(id, by: worker, at: Date()) } }
    return try JSON.uncachedResponse(BulkAnswer(run), status: .accepted)
  }

  /// Starts work that lasts longer than a request. Where the server stops, the same request continues it.
  private func work(_ context: ServerRequestContext, _ body: @escaping @Sendable () async throws -> Void) {
    Task { [logger = context.logger] in
      do {
        try await body()
      } catch {
        logger.error("Bulk decision interrupted", metadata: ["error": "\(error)"])
      }
    }
  }

  private struct BulkAnswer: Encodable {
    var bulkID: String?
    let state: String
    let rows: Int
    var decided = 0
    var undone = 0
    /// Numbers that were decided or appealed since they were read.
    var leftOut: [String] = []
    var wrong = 0
    var errors: [Problem.Field] = []

    init(_ run: BulkRun) {
      bulkID = run.id.uuidString.lowercased()
      (rows, decided, undone) = (run.numbers, run.decisions, run.undone)
      state = run.stateName
      if run.stateName == "done" { leftOut = run.left.prefix(BulksController.shown).map { "+\($0)" } }
    }

    /// A file that was only checked.
    init(rows: Int, wrong: Int, errors: [Problem.Field]) {
      (state, self.rows, self.wrong, self.errors) = ("checked", rows, wrong, errors)
    }
  }
}

extension BulkRun {
  /// The name in the API.
  fileprivate var stateName: String {
    if undoneBy != nil { return "undone" }
    if isRunning { return "running" }
    if isUnfinished { return "interrupted" }
    return isBeingUndone ? "undoing" : "done"
  }
}
