// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Storage

/// The token of an installation in `Ringfence-Installation`. It belongs to the sender and not to a report, so retries may
/// have a different one, and a report with a wrong one is taken like one without.
struct InstallationHeader: Sendable {
  /// Whether a token was accepted; the answer says it in `Ringfence-Attestation`.
  enum State: String {
    case ok, expired, invalid
  }

  struct Sender {
    /// The app's name for the reporter: the installation's; nil for the name in the report.
    var reporter: String?
    /// The name of the installation where its token has ended.
    var former: String?
    /// Nil without a token.
    var state: State?

    /// The other name under which a report may be stored: an earlier attempt had a token that has ended, or none.
    func otherName(than named: String) -> String? { reporter == nil ? former : named }

    /// Adds the state of the token to an answer.
    func marking(_ response: Response) -> Response {
      guard let state else { return response }
      var response = response
      response.headers[InstallationHeader.answer] = state.rawValue
      return response
    }

    /// Adds the state of the token to a refusal.
    func marking(_ problem: Problem) -> Problem {
      var problem = problem
      problem.headers[InstallationHeader.answer] = state?.rawValue
      return problem
    }
  }

  private static let field = HTTPField.Name("Ringfence-Installation")!
  fileprivate static let answer = HTTPField.Name("Ringfence-Attestation")!
  private static let maxBytes = 256

  let installations: InstallationStore

  /// - Throws: `DeadlineExceeded` if the database does not answer in time.
  func sender(of request: Request, app: App?) async throws -> Sender {
    guard let token = request.headers[Self.field], let app else { return Sender() }
    guard (1...Self.maxBytes).contains(token.utf8.count) else { return Sender(state: .invalid) }
    let found = try await withDeadline { [installations] in try await installations.findEven(expired: token) }
    guard let found, found.app.id == app.id else { return Sender(state: .invalid) }
    guard found.isValid(at: Date()) else { return Sender(former: found.reporter, state: .expired) }
    return Sender(reporter: found.reporter, state: .ok)
  }
}
