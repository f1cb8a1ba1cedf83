package import HTTPServer
package import Foundation
import HTTPTypes
package import Intake
package import Logging
package import NIOCore
import NIOHTTP1
package import Storage
package import Telemetry

/// Decides which requests are answered on their connection's event loop, and takes their reports.
///
/// By far most requests are one plain report from an app that is known. The way through Hummingbird costs each of them
/// some 50 µs of tasks and middleware, several times what there is to be done. So what is plain is taken here, by the
/// same rules in the same order; everything else, and everything that is refused before it has cost anything, goes the
/// long way as it came, and that way answers it.
package struct ReportFastPath: Sendable {
  /// A report that has been handed in.
  package struct Pending {
    package let number: Int64
    package let reportID: UUID
    /// The app's own name for its user.
    package let reporter: String
    package let appID: Int32
    package let network: ClientNetwork
    package let visit: Visit
  }

  /// One request, as it is measured.
  package struct Visit {
    package let id: RequestID
    package let began: ContinuousClock.Instant
  }

  /// What is done with a request.
  package enum Decision {
    case goesTheLongWay
    case refused(Problem)
    case taken(Pending)
  }

  package let intake: ReportIntake
  package let limiter: RateLimiter
  package let apps: APIKeyCache
  package let networkPseudonym: @Sendable (String) -> [UInt8]?
  package let trustsProxy: Bool
  package let logger: Logger
  package let metrics: RequestMetrics
  package let log: RequestLog

  /// Takes the report of a request.
  /// - Parameters:
  ///   - sender: of the connection.
  ///   - visit: when it came, and its name.
  ///   - answer: called once, where the report was taken, when it is on disk or has failed.
  package func take(
    _ request: PlainRequest, _ body: ByteBuffer, from sender: ConnectionSender, visit: Visit,
    answer: @escaping @Sendable (Result<ReportOutcome, any Error>) -> Void
  ) -> Decision {
    guard let app = apps.known(key: request.key), app.scopes.contains(.report),
      let submission = body.withUnsafeReadableBytes(PlainReport.read)
    else { return .goesTheLongWay }
    let sender = trustsProxy ? sender.forwarding(request.forwarded, networkPseudonym) : sender
    // Who is refused here has paid nothing yet, nor has who sends what breaks a rule.
    guard limiter.charge(0, network: sender.network) == nil,
      let report = try? intake.check(submission, from: app, network: sender.pseudonym)
    else { return .goesTheLongWay }
    do throws(Problem) {
      if let refusal = limiter.take(1, network: sender.network, appID: app.id) { throw Problem.limited(refusal) }
      guard limiter.takeReports(of: [submission.reporter], appID: app.id)[0] else {
        throw Problem.limited(.init(limit: "reporter", retryAfter: limiter.secondsLeftInDay))
      }
      let pending = Pending(
        number: report.number, reportID: report.reportID, reporter: submission.reporter, appID: app.id,
        network: sender.network, visit: visit)
      do throws(IntakeError) {
        try intake.take(report, answer: answer)
      } catch {
        limiter.giveBackReports(of: [submission.reporter], appID: app.id)
        return .refused(.unavailable)
      }
      return .taken(pending)
    } catch {
      return .refused(withLimits(error, network: sender.network, appID: app.id))
    }
  }

  /// What a caller is told.
  package func answer(
    to pending: Pending, _ result: Result<ReportOutcome, any Error>, date: String, allocator: ByteBufferAllocator
  ) -> FastPathResponse {
    let outcome = try? result.get()
    if outcome != .created { limiter.giveBackReports(of: [pending.reporter], appID: pending.appID) }
    do {
      switch try result.get() {
      case .conflict: throw Problem.conflict
      case .withdrawn: throw Problem.withdrawn
      case .created, .duplicate:
        return FastPathResponse(
          taken: pending, isNew: outcome == .created,
          limits: limiter.headers(network: pending.network, appID: pending.appID), date: date, id: pending.visit.id,
          allocator: allocator)
      }
    } catch let problem as Problem {
      return FastPathResponse(
        withLimits(problem, network: pending.network, appID: pending.appID), date: date, id: pending.visit.id)
    } catch {
      return FastPathResponse(
        .answering(error, path: "/v1/reports", log: log.failures, logger: logger), date: date, id: pending.visit.id)
    }
  }

  /// Measures an answer, and logs it where that is wanted.
  package func note(_ answer: FastPathResponse, _ visit: Visit) {
    let (status, duration) = (Int(answer.status.code), ContinuousClock.now - visit.began)
    metrics.reports.note(status: status, duration: duration)
    log.note(route: "/v1/reports", method: "POST", id: visit.id, status: status, duration: duration)
  }

  private func withLimits(_ problem: Problem, network: ClientNetwork, appID: Int32) -> Problem {
    var problem = problem
    for field in limiter.headers(network: network, appID: appID) { problem.headers.append(field) }
    return problem
  }
}
