// SPDX-License-Identifier: Apache-2.0

package import Curation

/// An action in the audit log, as `area.verb`. Each has the message `audit.action.` and its name.
public enum AuditAction: String, Sendable, CaseIterable {
  case accountAdd = "account.add"
  case accountDisable = "account.disable"
  case accountEnable = "account.enable"
  case accountLink = "account.link"
  case accountPasskeyAdd = "account.passkey_add"
  case accountPasskeyRemove = "account.passkey_remove"
  case accountPassword = "account.password"
  case accountRecoveryCodes = "account.recovery_codes"
  case accountReset = "account.reset"
  case accountRole = "account.role"
  case accountSecondFactor = "account.second_factor"
  case accountTie = "account.tie"

  case appAttestation = "app.attestation"
  case appCreate = "app.create"
  case appFailedCalls = "app.failed_calls"
  case appRevoke = "app.revoke"
  case appRotate = "app.rotate"
  case appScopes = "app.scopes"
  case appWithdraw = "app.withdraw"
  case appWithdrawn = "app.withdrawn"

  case appealReject = "appeal.reject"
  case appealUndo = "appeal.undo"
  case appealUphold = "appeal.uphold"

  case assignmentAdd = "assignment.add"
  case assignmentRemove = "assignment.remove"

  case bulkFinish = "bulk.finish"

  case caseEscalate = "case.escalate"
  case casePass = "case.pass"
  case caseTakeBack = "case.take_back"
  case caseTakeOver = "case.take_over"

  case decisionAllow = "decision.allow"
  case decisionBlock = "decision.block"
  case decisionExpire = "decision.expire"
  case decisionIdentify = "decision.identify"
  case decisionUndo = "decision.undo"

  case goldenMark = "golden.mark"
  case goldenUnmark = "golden.unmark"

  case holdEnd = "hold.end"

  case noteAdd = "note.add"

  case numberingUpdate = "numbering.update"

  case proposalAdd = "proposal.add"

  case protectionAdd = "protection.add"
  case protectionExpire = "protection.expire"
  case protectionRemove = "protection.remove"

  case publicationAdd = "publication.add"
  case publicationOrder = "publication.order"
  case publicationOverrule = "publication.overrule"
  case publicationRevoke = "publication.revoke"
  case publicationSchedule = "publication.schedule"

  case rangeAdd = "range.add"
  case rangeApprove = "range.approve"
  case rangePropose = "range.propose"
  case rangeReject = "range.reject"
  case rangeRemove = "range.remove"

  case reviewRecord = "review.record"
  case reviewSettle = "review.settle"
  case reviewTurnOff = "review.turn_off"
  case reviewTurnOn = "review.turn_on"

  case rightAccess = "right.access"
  case rightCode = "right.code"
  case rightEnter = "right.enter"
  case rightErase = "right.erase"
  case rightExport = "right.export"
  case rightLift = "right.lift"
  case rightRelease = "right.release"
  case rightRestrict = "right.restrict"
  case rightSuppress = "right.suppress"

  case sessionClose = "session.close"
  case sessionEnd = "session.end"
  case sessionOpen = "session.open"
  case sessionRefuse = "session.refuse"

  case sourceAdd = "source.add"
  case sourceCeiling = "source.ceiling"
  case sourceForce = "source.force"
  case sourceRefresh = "source.refresh"
  case sourceRemove = "source.remove"
  case sourceResume = "source.resume"
  case sourceSuspend = "source.suspend"

  case templatesSave = "templates.save"

  case thresholdsRemove = "thresholds.remove"
  case thresholdsSave = "thresholds.save"
  case thresholdsSet = "thresholds.set"

  /// A decision of a treatment.
  package static func decision(_ treatment: Decision.Treatment) -> AuditAction {
    switch treatment {
    case .block: .decisionBlock
    case .identify: .decisionIdentify
    case .allow: .decisionAllow
    }
  }
}
