import Curation
import HTTPTypes

extension Problem {
  /// The form was not made for this session, or not by us.
  static let staleForm = Problem(
    .forbidden, type: "stale-form", title: "The form is too old",
    detail:
      "You have signed in anew since this page was opened. Go back, load the page again and send the form once more.")

  /// The body is no form that we read.
  static let noForm = Problem(
    .badRequest, type: "no-form", title: "Not a form",
    detail: "Send the fields as application/x-www-form-urlencoded.")

  /// - Parameter role: the least that may do it.
  static func needs(_ role: Role) -> Problem {
    Problem(
      .forbidden, type: "needs-\(role.rawValue)", title: "Not with your role",
      detail: "Only the role \(role.rawValue) and those above it may do that. Ask an administrator.")
  }
}
