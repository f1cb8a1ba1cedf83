package import Curation

extension Problem {
  /// The form was not made for this session, or not by us.
  package static let staleForm = Problem(.staleForm)

  /// The body is no form that we read.
  package static let noForm = Problem(.noForm)

  /// - Parameter role: the least that may do it.
  package static func needs(_ role: Role) -> Problem {
    switch role {
    case .triage: Problem(.needsTriage)
    case .moderator: Problem(.needsModerator)
    case .administrator: Problem(.needsAdministrator)
    }
  }
}
