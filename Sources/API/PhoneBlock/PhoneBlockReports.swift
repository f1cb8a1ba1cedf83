// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import PhoneNumbers
import Storage
import Synchronization
import Support

/// `POST /phoneblock/api/rate` and `/report-call/{number}`: reports and counts through the intake of apps.
final class PhoneBlockReports: Sendable {
  private struct Rating: Decodable {
    let phone: String
    let rating: String
    let comment: String?
  }

  /// The maximum calls of a user that count in a UTC day.
  static let callsADay = RemediationLimits.phoneBlockCalls

  private let reports: ReportsController
  private let identifications: IdentificationIntake
  private let counter: RemediationCounter
  private let numbers: PhoneBlockNumber
  private let bodies: BodyReader
  private let calls = Mutex(DailyCounts(limit: callsADay, capacity: 65_536))

  /// - Parameter reports: takes the reports of apps, with their limits.
  init(
    reports: ReportsController, identifications: IdentificationIntake, counter: RemediationCounter,
    numbers: PhoneBlockNumber, bodies: BodyReader
  ) {
    self.reports = reports
    self.identifications = identifications
    self.counter = counter
    self.numbers = numbers
    self.bodies = bodies
  }

  /// Takes a rating as a report. Its id and its time are the server's; a later rating of the user replaces the vote.
  @Sendable func rate(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let reporter = try PhoneBlockCredentials.reporter(of: request)
    // Some clients name another media type, or none.
    return try await bodies.read(request, .object, context: context) { [self] data in
      let rating = try JSON.decode(Rating.self, from: data)
      guard let known = PhoneBlockRating(rawValue: rating.rating) else {
        let names = PhoneBlockRating.allCases.map(\.rawValue)
        throw PhoneBlockError(
          status: .badRequest, text: "Invalid rating. \(VisibleText.refusal(of: rating.rating, allowing: names))")
      }
      let report = CheckedReport(
        try numbers.read(rating.phone), category: known.category, reporter: reporter, reportID: UUID(),
        reportedAt: Date(), comment: rating.comment.map(CommentRule.cut))
      _ = try await reports.take([report], context: context)[0].get()
      return PhoneBlockErrorMiddleware.text("Rating recorded.")
    }
  }

  /// Counts a call that the user's device has recognized. Above the daily limit it is not counted.
  @Sendable func call(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let app = context.app else { throw Problem.unauthorized }
    let number = try numbers.read(component: try context.parameters.require("number"))
    // A device names a number of a range too.
    _ = try PhoneBlockNumber.isPrefix(request)
    let reporter = "\(app.id) \(try PhoneBlockCredentials.reporter(of: request))"
    let now = Date()
    guard calls.withLock({ $0.take(reporter, at: now) }) else { return Response(status: .noContent) }
    let batch = IdentificationSubmission(
      batchID: UUID().uuidString,
      items: [
        .init(number: number.e164, named: 1, unknown: 0, day: String(Timestamp.format(now).prefix(10)))
      ])
    do {
      _ = try await identifications.take(batch, from: app)
      // PhoneBlock's devices report calls that they have kept from ringing.
      await counter.note(.phoneBlock, isBlocked: true, person: reporter, of: app, at: now)
    } catch {
      calls.withLock { $0.giveBack(reporter, takenAt: now) }
      throw error
    }
    return Response(status: .noContent)
  }
}

/// PhoneBlock's ratings. Clients know no other names.
enum PhoneBlockRating: String, Codable, CaseIterable, Sendable {
  case legitimate = "A_LEGITIMATE"
  case missed = "B_MISSED"
  case ping = "C_PING"
  case poll = "D_POLL"
  case advertising = "E_ADVERTISING"
  case gamble = "F_GAMBLE"
  case fraud = "G_FRAUD"

  init(_ category: ReportCategory) {
    self =
      switch category {
      case .legitimate: .legitimate
      case .other, .harassment, .robocall, .debtCollection: .missed
      case .oneRing, .silent: .ping
      case .survey: .poll
      case .telemarketing, .political: .advertising
      case .gambling: .gamble
      case .fraud, .pyramid: .fraud
      }
  }

  var category: ReportCategory {
    switch self {
    case .legitimate: .legitimate
    case .missed: .other
    case .ping: .oneRing
    case .poll: .survey
    case .advertising: .telemarketing
    case .gamble: .gambling
    case .fraud: .fraud
    }
  }
}
