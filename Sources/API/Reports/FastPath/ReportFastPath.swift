// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Foundation
import HTTPTypes
import Intake
import Logging
import NIOCore
import NIOHTTP1
import Storage
import ServerSupport

/// Decides which requests are answered on their connection's event loop, and takes their reports.
///
/// Most requests are one plain report from a known app. Tasks and middleware of Hummingbird cost each of them about
/// 50 µs, several times the cost of the work itself. Plain reports are taken here, by the rules of ``ReportsController``
/// in their order.
/// All other requests, and requests refused before any cost, continue to the router unchanged.
struct ReportFastPath: Sendable {
  /// A report that waits for its commit.
  struct Pending {
    let number: Int64
    let reportID: UUID
    /// The app's identifier of its user.
    let reporter: String
    let app: App
    let network: ClientNetwork
    let timing: RequestTiming
  }

  struct RequestTiming {
    let id: RequestID
    let began: ContinuousClock.Instant
  }

  enum Decision {
    case goesTheLongWay
    case refused(Problem)
    case taken(Pending)
  }

  let intake: ReportIntake
  let limiter: RateLimiter
  let apps: APIKeyCache
  let networkPseudonym: @Sendable (String) -> [UInt8]?
  let trustsProxy: Bool
  let logger: Logger
  let metrics: RequestMetrics
  let log: RequestLog

  /// - Parameter answer: called once for a taken report, when it is on disk or has failed.
  func take(
    _ request: PlainRequest, _ body: ByteBuffer, from sender: ConnectionSender, timing: RequestTiming,
    answer: @escaping @Sendable (Result<ReportOutcome, any Error>) -> Void
  ) -> Decision {
    guard let app = apps.known(key: request.key), app.scopes.contains(.report),
      let submission = body.withUnsafeReadableBytes(PlainReport.read)
    else { return .goesTheLongWay }
    let sender = trustsProxy ? sender.forwarding(request.forwarded, networkPseudonym) : sender
    // A request that is refused here, or breaks a rule, has not been charged yet.
    guard limiter.charge(0, network: sender.network) == nil,
      let report = try? intake.check(submission, from: app, network: sender.pseudonym), !report.isUnassigned,
      report.arrivedAt == nil
    else { return .goesTheLongWay }
    do throws(Problem) {
      if let refusal = limiter.take(1, network: sender.network, appID: app.id) {
        intake.traffic.refuse("rate_limit", of: app)
        throw Problem.limited(refusal)
      }
      guard limiter.takeReports(of: [submission.reporter], appID: app.id)[0] else {
        intake.traffic.refuse("rate_limit", of: app)
        throw Problem.limited(.init(limit: "reporter", retryAfter: limiter.secondsLeftInDay))
      }
      let pending = Pending(
        number: report.number, reportID: report.reportID, reporter: submission.reporter, app: app,
        network: sender.network, timing: timing)
      do throws(IntakeError) {
        try intake.take(report, answer: answer)
      } catch {
        limiter.giveBackReports(of: [submission.reporter], appID: app.id)
        intake.traffic.refuse("unavailable", of: app)
        return .refused(.unavailable)
      }
      return .taken(pending)
    } catch {
      return .refused(withLimits(error, network: sender.network, appID: app.id))
    }
  }

  /// The answer for a report after its commit.
  func answer(
    to pending: Pending, _ result: Result<ReportOutcome, any Error>, date: String, allocator: ByteBufferAllocator
  ) -> FastPathResponse {
    let (outcome, appID) = (try? result.get(), pending.app.id)
    intake.traffic.note(result, of: pending.app)
    if outcome != .created { limiter.giveBackReports(of: [pending.reporter], appID: appID) }
    do {
      switch try result.get() {
      case .conflict: throw Problem.conflict
      case .withdrawn: throw Problem.withdrawn
      case .created, .duplicate:
        return FastPathResponse(
          taken: pending, isNew: outcome == .created,
          limits: limiter.headers(network: pending.network, appID: appID), date: date, id: pending.timing.id,
          allocator: allocator)
      }
    } catch let problem as Problem {
      return FastPathResponse(
        withLimits(problem, network: pending.network, appID: appID), date: date, id: pending.timing.id)
    } catch {
      return FastPathResponse(
        .answering(error, path: "/v1/reports", log: log.failures, logger: logger), date: date, id: pending.timing.id)
    }
  }

  /// Records metrics of an answer, and logs it if requests are logged.
  func note(_ answer: FastPathResponse, _ timing: RequestTiming) {
    let (status, duration) = (Int(answer.status.code), ContinuousClock.now - timing.began)
    metrics.reports.note(status: status, duration: duration)
    log.note(route: "/v1/reports", method: "POST", id: timing.id, status: status, duration: duration)
  }

  private func withLimits(_ problem: Problem, network: ClientNetwork, appID: Int32) -> Problem {
    var problem = problem
    for field in limiter.headers(network: network, appID: appID) { problem.headers.append(field) }
    return problem
  }
}
