// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import Logging
import PhoneNumbers
import Storage

/// `POST /v1/reports` and `DELETE /v1/reports/{report_id}`
struct ReportsController: Sendable {
  let intake: ReportIntake
  let limiter: RateLimiter
  let bodies: BodyReader
  let networkPseudonym: @Sendable (String) -> [UInt8]?
  let failures: FailureLog
  let senders: InstallationHeader

  /// Accepts one report, an array, or lines of reports. Accepted reports are on disk when the response is sent.
  @Sendable func create(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let form: BodyReader.Form
    switch JSON.mediaType(of: request) {
    case "application/json": form = .objectOrArray
    case "application/x-ndjson": form = .batch
    default: throw Problem.unsupportedMediaType
    }
    return try await bodies.read(request, form, context: context) { data in
      let isArray = data.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "[")
      let sender = try await senders.sender(of: request, app: context.app)
      if form == .batch || isArray {
        let items = try ReportBody.items(of: data, areLines: form == .batch)
        return sender.marking(try await takeBatch(items, from: sender, context: context))
      }
      var body = try JSON.decode(ReportBody.self, from: data)
      try body.respect(idempotencyKey: request.idempotencyKeyText)
      if let refusal = body.refusal(for: context.app) { throw refusal }
      return sender.marking(try await takeOne(body, from: sender, context: context))
    }
  }

  /// Withdraws a report and subtracts it from the aggregates. Also 204 if it was withdrawn before.
  @Sendable func withdraw(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let app = context.app else { throw Problem.unauthorized }
    do {
      let id = try context.parameters.require("report_id")
      let outcome = try await withDeadline { [intake] in try await intake.withdraw(reportID: id, from: app) }
      switch outcome {
      case .withdrawn, .alreadyWithdrawn: return Response(status: .noContent)
      case .notFound: throw Problem.notFound
      }
    } catch is InvalidSubmission {
      // A text that is not a UUID identifies no report.
      throw Problem.notFound
    }
  }

  /// 201 if the report is new, 200 if its report_id was stored before.
  private func takeOne(
    _ body: ReportBody, from sender: InstallationHeader.Sender, context: ServerRequestContext
  ) async throws -> Response {
    guard let submission = body.submission else { throw ReportBody.withoutID }
    switch try await take([submission], from: sender, context: context)[0] {
    case .failure(let error as InvalidSubmission): throw Problem.invalid(error.problems)
    case .failure(let error): throw error
    case .success(let taken):
      switch taken.outcome {
      case .created: return JSON.response(ReportAnswer(taken), status: .created)
      case .duplicate: return JSON.response(ReportAnswer(taken))
      case .conflict: throw Problem.conflict
      case .withdrawn: throw Problem.withdrawn
      }
    }
  }

  /// 200 with a result for each item, including invalid ones.
  private func takeBatch(
    _ items: [LenientItem<ReportBody>], from sender: InstallationHeader.Sender, context: ServerRequestContext
  ) async throws -> Response {
    var named = 0
    for case (let place, .value(let body)) in items.enumerated() {
      if let refusal = body.refusal(for: context.app, place: place) { throw refusal }
      if body.clientAddress != nil { named += 1 }
    }
    try limiter.charge(items.count - 1, ofNetwork: max(0, items.count - 1 - named), context: context)
    var answers: [ReportAnswer?] = Array(repeating: nil, count: items.count)
    var submissions: [ReportSubmission] = []
    var places: [Int] = []
    for (place, item) in items.enumerated() {
      switch item {
      case .malformed(let field):
        if let app = context.app { intake.traffic.refuse(field.code, of: app) }
        answers[place] = ReportAnswer(invalid: [field])
      case .value(let body):
        guard let submission = body.submission else {
          if let app = context.app { intake.traffic.refuse(ReportBody.missingID.code, of: app) }
          answers[place] = ReportAnswer(invalid: [ReportBody.missingID])
          continue
        }
        submissions.append(submission)
        places.append(place)
      }
    }
    for (index, result) in try await take(submissions, from: sender, context: context).enumerated() {
      let reportID = submissions[index].reportID
      answers[places[index]] =
        switch result {
        case .success(let taken): ReportAnswer(taken)
        case .failure(let error as InvalidSubmission):
          ReportAnswer(invalid: error.problems.map(Problem.Field.init), reportID: reportID)
        case .failure(let problem as Problem): .limited(by: problem, reportID: reportID)
        case .failure(let error): failed(error, reportID: reportID, context: context)
        }
    }
    return JSON.response(BatchAnswer(results: answers.compactMap { $0 }))
  }

  /// The result of an item that was not stored. An error of the database is only logged.
  private func failed(_ error: any Error, reportID: String, context: ServerRequestContext) -> ReportAnswer {
    if !(error is IntakeError) {
      failures.note(
        "report of a batch failed", metadata: ["error": .string(String(describing: error))], to: context.logger)
    }
    return .failed(reportID: reportID)
  }

  /// Submits reports under the name of their sender. A report that is known with another content is compared once more under
  /// the other name of the sender, because a token may begin or end between two attempts.
  private func take(
    _ submissions: [ReportSubmission], from sender: InstallationHeader.Sender, context: ServerRequestContext
  ) async throws -> [Result<TakenReport, any Error>] {
    func named(_ submission: ReportSubmission, _ name: String?) -> ReportSubmission {
      var submission = submission
      submission.reporter = name ?? submission.reporter
      submission.isAttested = name != nil && name == sender.reporter
      return submission
    }
    var results = try await take(submissions.map { named($0, sender.reporter) }, context: context)
    if let installation = sender.reporter, let app = context.app {
      // Before the answer: a person's reports are found by the name that the app gives here.
      let names = zip(submissions, results).compactMap { submission, result in
        (try? result.get()).flatMap { $0.outcome == .conflict ? nil : submission.reporter }
      }
      if !names.isEmpty {
        try await withDeadline { [intake] in try await intake.link(names, to: installation, of: app) }
      }
    }
    let conflicts = results.indices.filter { place in
      (try? results[place].get().outcome) == .conflict && sender.otherName(than: submissions[place].reporter) != nil
    }
    guard !conflicts.isEmpty else { return results }
    let others = conflicts.map { named(submissions[$0], sender.otherName(than: submissions[$0].reporter)) }
    for (place, result) in zip(conflicts, try await take(others, context: context)) {
      if case .success(let taken) = result, taken.outcome != .conflict { results[place] = result }
    }
    return results
  }

  /// Submits the reports that are within the reporters' daily limits, and within the limits of the networks that an
  /// app's server names. Repeated reports do not count against the daily limits.
  /// - Returns: the result of each report in order; a ``Problem`` with status 429 for those over a limit.
  func take(
    _ incoming: [any IncomingReport], context: ServerRequestContext
  ) async throws -> [Result<TakenReport, any Error>] {
    guard let app = context.app else { throw Problem.unauthorized }
    // Reports of earlier days are not of this day's limit: a migration sends them all at once.
    let names = incoming.map { intake.isOfPast($0, from: app) ? nil : $0.reporter }
    let isWithinDay = limiter.takeReports(of: names, appID: app.id)
    let refusals = zip(incoming, isWithinDay).map { report, isWithinDay -> RateLimiter.Refusal? in
      guard isWithinDay else { return .init(limit: "reporter", retryAfter: limiter.secondsLeftInDay) }
      return report.clientAddress.flatMap(networkPseudonym).flatMap { limiter.takeReport(ofNetwork: $0, appID: app.id) }
    }
    let limited = refusals.count { $0 != nil }
    if limited > 0 { intake.traffic.refuse("rate_limit", of: app, count: limited) }
    let admitted = zip(incoming, refusals).filter { $0.1 == nil }.map(\.0)
    var notNew = zip(names, isWithinDay).filter(\.1).compactMap(\.0)
    defer { limiter.giveBackReports(of: notNew, appID: app.id) }
    var rest = try await intake.take(
      admitted, from: app, network: context.clientAddress.flatMap(networkPseudonym))[...]
    let results: [Result<TakenReport, any Error>] = refusals.map {
      $0.map { .failure(Problem.limited($0)) } ?? rest.removeFirst()
    }
    notNew = zip(zip(names, isWithinDay), results)
      .filter { $0.0.1 && (try? $0.1.get().outcome) != .created }.compactMap(\.0.0)
    return results
  }
}

struct ReportBody: Decodable {
  let number: String
  let region: String?
  let category: String
  let reporter: String
  /// Required, unless a request with one report has it in `Idempotency-Key`.
  var reportID: String?
  let reportedAt: String
  let comment: String?
  private let reporterSince: String?
  let clientAddress: String?
  private let verification: String?

  enum CodingKeys: String, CodingKey {
    case number, region, category, reporter, comment, verification
    case reportID = "report_id"
    case reportedAt = "reported_at"
    case reporterSince = "reporter_since"
    case clientAddress = "client_address"
  }

  /// Nil without an id.
  var submission: ReportSubmission? {
    reportID.map {
      ReportSubmission(
        number: number, region: region, category: category, reporter: reporter, reportID: $0, reportedAt: reportedAt,
        comment: comment, reporterSince: reporterSince, clientAddress: clientAddress, verification: verification)
    }
  }

  /// The refusal of a report with fields that need the scope vouch; nil if it has none, or the app has the scope.
  /// - Parameter place: the index of the report in a batch.
  func refusal(for app: App?, place: Int? = nil) -> Problem? {
    let fields = [("reporter_since", reporterSince), ("client_address", clientAddress)].filter { $0.1 != nil }
    guard let app, !fields.isEmpty, !app.scopes.contains(.vouch) else { return nil }
    return .vouch(fields.map(\.0), place: place, app: app)
  }

  static let missingID = Problem.Field(
    pointer: "/report_id", code: "missing", detail: "Send a UUID. Use the same UUID for retries.")

  static let withoutID = Problem.malformed(
    "The report has no ID. Add a report_id and send it again.", errors: [missingID])

  /// Applies `Idempotency-Key` to a request with one report: a UUID there replaces a missing `report_id`. If both are given,
  /// they must be equal.
  mutating func respect(idempotencyKey key: String?) throws {
    guard let key else {
      if reportID == nil { throw Self.withoutID }
      return
    }
    if let reportID {
      guard reportID.lowercased() == key.lowercased() else {
        throw Problem.malformed("Idempotency-Key and report_id differ. Send one of them, or the same UUID in both.")
      }
    } else {
      guard UUID(uuidString: key) != nil else {
        throw Problem.malformed("Idempotency-Key must be a UUID if report_id is missing.")
      }
      reportID = key
    }
  }

  /// The items of a batch: of an array, or of lines (NDJSON). Blank lines are skipped.
  static func items(of data: Data, areLines: Bool) throws -> [LenientItem<ReportBody>] {
    guard areLines else { return try JSON.decode(LenientArray<ReportBody>.self, from: data).items }
    let lines = data.split(separator: UInt8(ascii: "\n"), maxSplits: 2 * Batch.limit).filter { line in
      line.contains { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
    }
    guard (1...Batch.limit).contains(lines.count) else { throw Problem.tooMany(limit: Batch.limit) }
    let decoder = JSONDecoder()
    let notJSON = Problem.Field(pointer: "", code: "not_json", detail: "The line is not valid JSON in UTF-8.")
    return lines.map { line in
      guard JSONText.isUTF8(line), let item = try? decoder.decode(LenientItem<ReportBody>.self, from: line) else {
        return .malformed(notJSON)
      }
      return JSONText.repeatedMember(in: line).map { .malformed($0) } ?? item
    }
  }
}

struct ReportAnswer: Encodable {
  var number: String?
  var reportID: String?
  /// `created`, `duplicate`, `conflict` or `withdrawn`; in a batch also `invalid`, `limited` if the reporter has
  /// reached the daily limit, and `failed` after an internal failure, when it is not stored in time, or over the limit of
  /// the network of `client_address`.
  let status: String
  var errors: [Problem.Field]?
  /// True for a number that is not in the numbering plan, which is not shown before a moderator or a newer plan confirms it.
  var unassigned: Bool?

  enum CodingKeys: String, CodingKey {
    case number, status, errors, unassigned
    case reportID = "report_id"
  }
}

extension ReportAnswer {
  init(_ taken: TakenReport) {
    number = PhoneNumber(digits: taken.report.number)?.e164
    reportID = taken.report.reportID.uuidString.lowercased()
    status = taken.outcome.name
    unassigned = taken.report.isUnassigned ? true : nil
  }

  init(invalid errors: [Problem.Field], reportID: String? = nil) {
    self.reportID = reportID
    self.errors = errors
    status = "invalid"
  }

  static func failed(reportID: String?) -> ReportAnswer {
    let error = Problem.Field(
      pointer: "", code: "unavailable",
      detail: "The report is perhaps not stored. Send it again in a few seconds, with the same report_id.")
    return ReportAnswer(reportID: reportID, status: "failed", errors: [error])
  }

  /// - Parameter problem: a rate limit. A network's ends within seconds, as an internal failure does.
  static func limited(by problem: Problem, reportID: String?) -> ReportAnswer {
    if problem.values["limit"] == "network" {
      let error = Problem.Field(pointer: "/client_address", code: "network_limit", detail: problem.detail)
      return ReportAnswer(reportID: reportID, status: "failed", errors: [error])
    }
    let error = Problem.Field(
      pointer: "/reporter", code: "daily_limit",
      detail: "This reporter has reached the daily limit. Send the report after midnight (UTC).")
    return ReportAnswer(reportID: reportID, status: "limited", errors: [error])
  }
}

/// One result for each item, in order.
struct BatchAnswer: Encodable {
  let results: [ReportAnswer]
}

extension ReportOutcome {
  /// The name in the API.
  fileprivate var name: String {
    switch self {
    case .created: "created"
    case .duplicate: "duplicate"
    case .conflict: "conflict"
    case .withdrawn: "withdrawn"
    }
  }
}
