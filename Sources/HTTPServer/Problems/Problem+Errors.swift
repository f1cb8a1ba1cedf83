// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Intake
package import Logging
import Storage

extension Problem {
  /// The problem for an error. Internal failures are logged here once; their text is never sent.
  /// - Parameters:
  /// - path: the route's pattern, because addresses contain numbers.
  /// - log: logs internal failures at a limited rate.
  package static func answering(_ error: any Error, path: String, log: FailureLog, logger: Logger) -> Problem {
    let problem = of(error)
    // Deliberate refusals while the server is stopping or full are not logged as failures.
    if problem.status >= 500, !(error is Problem), !(error is IntakeError) {
      log.note(
        "request failed",
        metadata: [
          "http.route": .string(path), "http.status": .stringConvertible(problem.status),
          "error": .string(String(describing: error)),
        ], to: logger)
    }
    return problem
  }

  private static func of(_ error: any Error) -> Problem {
    switch error {
    case let problem as Problem: problem
    case is IntakeError, is DeadlineExceeded: .unavailable
    case let error as InvalidSubmission: .invalid(error.problems)
    case let error as HTTPError: of(error)
    default: StoreFailure(error) == .unavailable ? .unavailable : .internal
    }
  }

  private static func of(_ error: HTTPError) -> Problem {
    switch error.status {
    case .notFound: .notFound
    case .contentTooLarge: .tooLarge(limit: BodyReader.objectLimit)
    default: error.status.kind == .serverError ? .internal : Problem(.request)
    }
  }
}
