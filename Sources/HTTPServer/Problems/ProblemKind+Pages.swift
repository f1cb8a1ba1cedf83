// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension ProblemKind {
  /// Kinds that only pages use; nil for others.
  package var pageDocumentation: Documentation? {
    switch self {
    case .noForm:
      Documentation(
        status: .badRequest, title: "Invalid form", detail: "Send the fields as application/x-www-form-urlencoded.",
        cause: "A moderation page received a request that is not a form.",
        remedy: "Use the buttons of the page. Programs use the API.")
    case .staleForm:
      Documentation(
        status: .forbidden, title: "Form expired",
        detail:
          "You have signed in again since you opened this page. Go back, reload the page and send the form again.",
        cause: "The form was made for another session, or by another site.", remedy: "Reload the page.")
    case .needsTriage: Self.needs("triage")
    case .needsModerator: Self.needs("moderator")
    case .needsAdministrator: Self.needs("administrator")
    default: nil
    }
  }

  private static func needs(_ role: String) -> Documentation {
    Documentation(
      status: .forbidden, title: "Access denied",
      detail: "This requires the role \(role) or a higher one. Ask an administrator.",
      cause: "The signed-in account has a lower role.",
      remedy: "Ask an administrator to do it, or to change the role."
    )
  }
}
