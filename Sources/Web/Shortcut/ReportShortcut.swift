import Foundation
import HTTPTypes
import Intake
import Logging
import NIOCore
import NIOHTTP1
import Storage
import Telemetry

/// Decides which requests are answered on their connection's event loop, and takes their reports.
///
/// By far most requests are one plain report from an app that is known. The way through Hummingbird costs each of them
/// some 50 µs of tasks and middleware, several times what there is to be done. So what is plain is taken here, by the
/// same rules in the same order; everything else, and everything that is refused before it has cost anything, goes the
/// long way as it came, and that way answers it.
struct ReportShortcut: Sendable {
  /// A report that has been handed in.
  struct Pending {
    let number: Int64
    let reportID: UUID
    /// The app's own name for its user.
    let reporter: String
    let appID: Int32
    let network: ClientNetwork
    let visit: Visit
  }

  /// One request, as it is measured.
  struct Visit {
    let id: RequestName
    let began: ContinuousClock.Instant
  }

  /// What is done with a request.
  enum Decision {
    case goesTheLongWay
    case refused(Problem)
    case taken(Pending)
  }

  let intake: ReportIntake
  let limiter: Limiter
  let apps: AppDirectory
  let networkPseudonym: @Sendable (String) -> [UInt8]?
  let trustsProxy: Bool
  let logger: Logger
  let metrics: RequestMetrics
  let log: RequestLog

  /// Takes the report of a request.
  /// - Parameters:
  ///   - sender: of the connection.
  ///   - visit: when it came, and its name.
  ///   - answer: called once, where the report was taken, when it is on disk or has failed.
  func take(
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
  func answer(
    to pending: Pending, _ result: Result<ReportOutcome, any Error>, date: String, allocator: ByteBufferAllocator
  ) -> ShortcutAnswer {
    let outcome = try? result.get()
    if outcome != .created { limiter.giveBackReports(of: [pending.reporter], appID: pending.appID) }
    do {
      switch try result.get() {
      case .conflict: throw Problem.conflict
      case .withdrawn: throw Problem.withdrawn
      case .created, .duplicate:
        return ShortcutAnswer(
          taken: pending, isNew: outcome == .created,
          limits: limiter.headers(network: pending.network, appID: pending.appID), date: date, id: pending.visit.id,
          allocator: allocator)
      }
    } catch let problem as Problem {
      return ShortcutAnswer(
        withLimits(problem, network: pending.network, appID: pending.appID), date: date, id: pending.visit.id)
    } catch {
      return ShortcutAnswer(.answering(error, path: "/v1/reports", logger: logger), date: date, id: pending.visit.id)
    }
  }

  /// Measures an answer, and logs it where that is wanted.
  func note(_ answer: ShortcutAnswer, _ visit: Visit) {
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
