// SPDX-License-Identifier: Apache-2.0

package import Curation

extension Problem {
  /// The form belongs to another session or server.
  package static let staleForm = Problem(.staleForm)

  /// The body is not a form in a supported encoding.
  package static let noForm = Problem(.noForm)

  /// - Parameter role: the lowest role with permission.
  package static func needs(_ role: Role) -> Problem {
    switch role {
    case .triage: Problem(.needsTriage)
    case .moderator: Problem(.needsModerator)
    case .administrator: Problem(.needsAdministrator)
    }
  }
}
