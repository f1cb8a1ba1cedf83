// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Foundation
package import Storage

/// The rule of levels and claims: whether a worker may decide a case now.
package enum CaseAccess: Sendable, Equatable {
  case open
  /// The level of the case is too high for the worker; this role may decide it.
  case needs(Role)
  /// Another account has claimed the case.
  case claimed(QueueCase.Claim)

  /// - Parameter level: the level of the case; 0 for a number without one.
  package init(level: Int16, claim: QueueCase.Claim?, for worker: Actor, at time: Date) {
    if level > worker.level {
      self = .needs(level > 1 ? .administrator : .moderator)
    } else if let claim, claim.isOfOther(than: worker, at: time) {
      self = .claimed(claim)
    } else {
      self = .open
    }
  }
}

extension QueueCase.Claim {
  /// Whether another account has the case open at a time.
  package func isOfOther(than worker: Actor, at time: Date) -> Bool {
    account != worker.name && until > time
  }
}

/// The rule of the roles that undo decisions.
package enum DecisionRights {
  /// Moderators may undo any decision; triage may undo its own.
  package static func canUndo(_ event: DecisionEvent, _ worker: Actor) -> Bool {
    worker.role >= .moderator || event.decidedBy == worker.name
  }
}
