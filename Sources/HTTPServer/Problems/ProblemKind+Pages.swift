import HTTPTypes

extension ProblemKind {
  /// Kinds that only pages for people have; nil for others.
  package var accountOfPage: Account? {
    switch self {
    case .noForm:
      Account(
        status: .badRequest, title: "Not a form", detail: "Send the fields as application/x-www-form-urlencoded.",
        cause: "A page of the moderation was sent something that is no form.",
        remedy: "Use the page's own buttons; programs use the API.")
    case .staleForm:
      Account(
        status: .forbidden, title: "The form is too old",
        detail:
          "You have signed in anew since this page was opened. Go back, load the page again and send the form once more.",
        cause: "The form was made for another session, or by another site.", remedy: "Load the page again.")
    case .needsTriage: Self.needs("triage")
    case .needsModerator: Self.needs("moderator")
    case .needsAdministrator: Self.needs("administrator")
    default: nil
    }
  }

  private static func needs(_ role: String) -> Account {
    Account(
      status: .forbidden, title: "Not with your role",
      detail: "Only the role \(role) and those above it may do that. Ask an administrator.",
      cause: "The account that signed in has a lesser role.",
      remedy: "Ask an administrator to do it, or to change the role."
    )
  }
}
