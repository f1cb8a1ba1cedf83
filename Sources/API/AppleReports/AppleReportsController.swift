// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import Intake
import Logging
import Metrics
import Storage

/// `POST /v1/apple/reports`: reports that iOS sends for an app's reporting extension.
struct AppleReportsController: Sendable {
  let settings: AppleReportSettings
  let installations: InstallationStore
  let reports: ReportsController
  let metrics: AppleReportMetrics

  private typealias Outcome = AppleReportMetrics.Outcome

  /// 204 for stored reports, for repeated ones and for those that are dropped: the answer does not say whether a report
  /// counts.
  @Sendable func create(_ request: Request, context: ServerRequestContext) async throws -> Response {
    do {
      metrics.note(try await outcome(of: request, context: context))
      return Response(status: .noContent)
    } catch {
      metrics.note(.refused)
      // Wrong tokens are charged with all wrong keys.
      if let problem = error as? Problem, [400, 413, 415].contains(problem.status) {
        reports.limiter.charge(1, network: context.network)
      }
      throw error
    }
  }

  private func outcome(of request: Request, context: ServerRequestContext) async throws -> Outcome {
    // iOS's media type is not documented.
    let values = try await reports.bodies.read(request, .envelope, context: context) { data in
      try AppleBody.decode(AppleEnvelope.self, from: data).classification
    }
    guard let map = settings.map(of: values) else {
      try charge(context)
      return .unknownMembers
    }
    let now = Date()
    let sender = try await sender(values, map, context: context, at: now)
    var context = context
    context.app = sender.app
    try charge(context)
    let report: AppleReport
    do throws(AppleReport.Drop) {
      report = try AppleReport(values, by: map, at: now)
    } catch {
      return Outcome(error)
    }
    let checked = report.report(by: sender.reporter, appID: sender.app.id)
    let taken: TakenReport
    do {
      taken = try await reports.take([checked], context: context)[0].get()
    } catch is InvalidSubmission {
      return .invalid
    } catch let problem as Problem where problem.status == 429 {
      return .limited
    }
    if let installation = sender.installation { await note(installation, at: now, context: context) }
    // A report that arrives again without its own time conflicts with the first one, and is stored already.
    return taken.outcome == .created ? .created : .duplicate
  }

  private struct Sender {
    let app: App
    let reporter: String
    let installation: Installation?
  }

  /// The installation of the token; without a token the app that the map names, with a reporter for each network and
  /// day.
  /// - Throws: ``Problem`` with status 401. Its text asks for the token: iOS sends no header that an app chooses.
  private func sender(
    _ values: [String: AppleValue], _ map: AppleFieldMap, context: ServerRequestContext, at now: Date
  ) async throws -> Sender {
    if let name = map.token, case .text(let token)? = values[name] {
      guard (1...256).contains(token.utf8.count) else { throw Self.noToken(in: map) }
      let found = try await withDeadline { [installations] in try await installations.find(token: token, at: now) }
      guard let found else { throw Self.noToken(in: map) }
      return Sender(app: found.app, reporter: found.reporter, installation: found)
    }
    guard let name = map.appWithoutToken else { throw Self.noToken(in: map) }
    let app = try await withDeadline { [installations] in
      try await installations.reportingApp(named: name, at: now)
    }
    guard let app else { throw Self.noToken(in: map) }
    let network = context.clientAddress.flatMap(reports.networkPseudonym).map(Hexadecimal.text) ?? "unknown"
    let day = Int(now.timeIntervalSince1970 / 86_400)
    return Sender(app: app, reporter: "network \(network) \(day)", installation: nil)
  }

  private static func noToken(in map: AppleFieldMap) -> Problem {
    let place = map.token.map { "in the body's member \"\($0)\"" } ?? "in the body, in the member that apple-apps names"
    return Problem(
      .unauthorized,
      detail: "The installation's token \(place) is missing, unknown or revoked. Get one with POST /v1/installations "
        + "and your app's key, and send it there.")
  }

  /// Stores the day of use. A failure does not undo the report.
  private func note(_ installation: Installation, at now: Date, context: ServerRequestContext) async {
    do {
      try await withDeadline { [installations] in try await installations.noteUse(of: installation, at: now) }
    } catch {
      reports.failures.note(
        "use of an installation was not stored", metadata: ["error": .string(String(describing: error))],
        to: context.logger)
    }
  }

  /// Takes one token of the network, and of the app where it is known.
  private func charge(_ context: ServerRequestContext) throws {
    try reports.limiter.charge(1, context: context)
  }
}

/// The JSON that iOS sends for a reporting extension. Other members are dropped.
struct AppleEnvelope: Decodable {
  /// The dictionary that the app's extension has made.
  let classification: [String: AppleValue]
}

/// The JSON that iOS sends for a message filter. The text of the message is not read.
struct AppleMessageQuery: Decodable {
  struct Query: Decodable {
    let sender: AppleValue?
  }
  let query: Query
}

/// Limits of requests that iOS sends without a key.
enum AppleBody {
  static let maxDepth = 16

  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    guard !JSONText.isDeeper(than: maxDepth, data) else {
      throw Problem.malformed("The body can have at most \(maxDepth) levels of objects and arrays.")
    }
    return try JSON.decode(type, from: data)
  }
}

struct AppleReportMetrics: Sendable {
  enum Outcome: String, CaseIterable {
    case created, duplicate, limited, invalid
    case notANumber = "not_a_number"
    case noCategory = "no_category"
    case unknownMembers = "unknown_members"
    case refused
  }

  private let reports: [Outcome: Counter]
  private let messages: Counter

  init(_ factory: any MetricsFactory) {
    reports = Dictionary(
      uniqueKeysWithValues: Outcome.allCases.map { outcome in
        let labels = [("outcome", outcome.rawValue)]
        return (outcome, Counter(label: "ringfence_apple_reports_total", dimensions: labels, factory: factory))
      })
    messages = Counter(label: "ringfence_apple_messages_total", factory: factory)
  }

  func note(_ outcome: Outcome) { reports[outcome]?.increment() }
  func noteMessage() { messages.increment() }
}

extension AppleReportMetrics.Outcome {
  init(_ drop: AppleReport.Drop) {
    switch drop {
    case .notANumber: self = .notANumber
    case .noCategory: self = .noCategory
    }
  }
}
