// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation

@testable import Storage

/// A type with a value for a parameter of a statement. Texts do not depend on it.
protocol Sample {
  static var sample: Self { get throws }
}

extension Sample where Self: CaseIterable {
  static var sample: Self { allCases[allCases.startIndex] }
}

extension Optional: Sample {
  static var sample: Wrapped? { nil }
}

extension Array: Sample {
  static var sample: [Element] { [] }
}

extension Bool: Sample { static var sample: Bool { false } }
extension Double: Sample { static var sample: Double { 1 } }
extension Int: Sample { static var sample: Int { 1 } }
extension Int16: Sample { static var sample: Int16 { 1 } }
extension Int32: Sample { static var sample: Int32 { 1 } }
extension Int64: Sample { static var sample: Int64 { 1 } }
extension String: Sample { static var sample: String { "a" } }
extension Date: Sample { static var sample: Date { Date(timeIntervalSince1970: 0) } }
extension UUID: Sample { static var sample: UUID { UUID() } }

extension Event: Sample { static var sample: Event { Event(.test, at: Date(timeIntervalSince1970: 0)) } }
extension MailAddress: Sample { static var sample: MailAddress { MailAddress("ada@example.org")! } }
extension HeatFloor: Sample { static var sample: HeatFloor { HeatFloor(heat: 1) } }
extension Appeal: Sample {
  static var sample: Appeal { get throws { try Appeal(number: 1, statement: "A shop.", filedAt: .sample) } }
}
extension AppealFiling: Sample {
  static var sample: AppealFiling {
    get throws { try AppealFiling(number: 1, statement: "A shop.", contact: nil, filedAt: .sample) }
  }
}
extension RetainedData: Sample {}
extension ReporterTable: Sample {}
extension GatingTime: Sample {}
extension NumberTable: Sample { static var sample: NumberTable { NumberTable(kind: .listings, name: "listings") } }
extension FilingOrigin: Sample { static var sample: FilingOrigin { FilingOrigin(network: nil, area: nil) } }
extension AppKey: Sample {
  static var sample: AppKey {
    AppKey(
      id: 1, appID: 1, appName: "a", hint: "a", scopes: [], createdAt: .sample, createdBy: "a", expiresAt: nil,
      revokedAt: nil, lastUsedAt: nil)
  }
}
extension AttestationLevel: Sample {}
extension AttestationPolicy: Sample { static var sample: AttestationPolicy { AttestationPolicy() } }
extension AppScopes: Sample { static var sample: AppScopes { [] } }
extension KeyWithdrawal: Sample {
  static var sample: KeyWithdrawal {
    KeyWithdrawal(
      id: 1, keyID: 1, since: .sample, until: .sample, reason: "a", askedBy: "a", askedAt: .sample, position: .sample,
      seen: 0, withdrawn: 0, doneAt: nil)
  }
}
extension Role: Sample {}
extension AuditFilter: Sample { static var sample: AuditFilter { AuditFilter() } }
extension AuditEvent: Sample {
  static var sample: AuditEvent { AuditEvent(actor: "a", role: "a", action: "a", subject: "a") }
}
extension Decision: Sample {
  static var sample: Decision {
    get throws { try Decision(number: 1, treatment: .allow, reason: "a", decidedBy: "a", decidedAt: .sample) }
  }
}
extension StandingDecision: Sample {
  static var sample: StandingDecision {
    StandingDecision(number: 1, treatment: .allow, decisionID: .sample, decidedAt: .sample)
  }
}
extension DecidedCase: Sample {
  static var sample: DecidedCase { DecidedCase(since: .sample, causes: [], level: 0) }
}
extension ReviewOpinion: Sample {
  static var sample: ReviewOpinion {
    get throws {
      try ReviewOpinion(
        number: 1, decisionID: .sample, treatment: .allow, note: nil, account: "a", reviewedAt: .sample)
    }
  }
}
extension RangeRule: Sample {
  static var sample: RangeRule {
    RangeRule(
      stored: RangePattern(around: 331_000_000, size: 100), category: .fraud, state: .approved, proposedAt: .sample)
  }
}
extension RangeRule.State: Sample {}
extension NumberHashPrefix: Sample {
  static var sample: NumberHashPrefix { get throws { try unwrapped(NumberHashPrefix("abcd")) } }
}
extension NumberSHA1Prefix: Sample {
  static var sample: NumberSHA1Prefix { get throws { try unwrapped(NumberSHA1Prefix("abcd")) } }
}
extension PersonalNumber: Sample {
  static var sample: PersonalNumber { PersonalNumber(number: 1, isPrefix: false, isBlocked: true, addedAt: .sample) }
}
extension SearchRange: Sample { static var sample: SearchRange { SearchRange(least: 1, greatest: 2) } }
extension QueueWorker: Sample {
  static var sample: QueueWorker { QueueWorker(account: "a", role: .administrator) }
}
extension QueueFilter: Sample { static var sample: QueueFilter { QueueFilter() } }
extension QueueOrder: Sample {}
extension QueueQuery: Sample {
  static var sample: QueueQuery {
    QueueQuery(after: QueueOrder.urgency.start, filter: .sample, level: 0, account: "a", time: .sample, limit: 1)
  }
}
extension SavedFilter: Sample {
  static var sample: SavedFilter {
    get throws { try SavedFilter(account: "a", name: "a", filter: .sample, order: .urgency, isShared: false) }
  }
}
extension TeamDimension: Sample {}
extension TemplateVersion: Sample {
  static var sample: TemplateVersion { TemplateVersion(version: 1, savedAt: .sample, savedBy: "a") }
}
extension TextTemplates.List: Sample {
  static var sample: TextTemplates.List { TextTemplates.List(.reason, language: "en") }
}
extension TextTemplates.Text: Sample { static var sample: TextTemplates.Text { .own("a") } }
extension AssignmentRule: Sample {
  static var sample: AssignmentRule {
    get throws { try AssignmentRule(country: "DE", category: nil, accounts: ["a"]) }
  }
}
extension CommentPlace: Sample {
  static var sample: CommentPlace { CommentPlace(count: 1, reportedAt: .sample, reportID: .sample) }
}
extension Bulk: Sample {
  static var sample: Bulk { Bulk(treatment: .allow, worker: .sample, decidedAt: .sample) }
}
extension BackgroundJob: Sample {
  static var sample: BackgroundJob { BackgroundJob(kind: .preview, account: "a", request: "{}") }
}
extension BackgroundJob.Kind: Sample { static var sample: Self { .preview } }
extension BackgroundJob.State: Sample { static var sample: Self { .done } }
extension AttestationRule: Sample { static var sample: AttestationRule { AttestationRule() } }
extension IdentifyRule: Sample { static var sample: IdentifyRule { IdentifyRule() } }
extension JobStep: Sample { static var sample: JobStep { .starting } }
extension LeaseStore.Lease: Sample {
  static var sample: Self { Self(job: "a", holder: .sample) }
}
extension PublicationClaim: Sample { static var sample: PublicationClaim { PublicationClaim(serial: 1) } }
extension PublicationRun.Cause: Sample {}
extension PublicationRun.State: Sample {}
extension PublicationFailure: Sample { static var sample: PublicationFailure { .processEnded } }
extension Publication: Sample {
  static var sample: Publication {
    Publication(serial: 1, publishedAt: .sample, asOf: .sample, manifestSHA256: [])
  }
}
extension Revocation: Sample {
  static var sample: Revocation { Revocation(number: 1, reason: "a", requestedBy: "a", requestedAt: .sample) }
}
extension Source.Settings: Sample {
  static var sample: Source.Settings {
    Source.Settings(name: "a", url: "https://example.org", format: .csv, every: 300)
  }
}
extension Source.State: Sample { static var sample: Source.State { Source.State() } }
extension Source.SeenPublication: Sample {
  static var sample: Self { Self(serial: 1, sha256: "", rootSerial: 1, root: nil) }
}
extension SourceFailure: Sample {
  static var sample: SourceFailure { get throws { try SourceFailure(json: #"{"code":"expired"}"#) } }
}
extension DeliveryFailure: Sample {
  static var sample: DeliveryFailure { get throws { try DeliveryFailure(json: #"{"code":"ended_early"}"#) } }
}
extension SourceCeiling: Sample {}
extension SourcePrecision: Sample { static var sample: SourcePrecision { SourcePrecision() } }
extension StoredReport: Sample {
  static var sample: StoredReport { StoredReport(number: 1, reportedAt: .sample, withdrawnAt: nil) }
}
extension ReportCategory: Sample {}
extension ThresholdVersion: Sample {
  static var sample: ThresholdVersion { ThresholdVersion(version: 1, savedAt: .sample, savedBy: "a", reason: nil) }
}

/// A sample that its initializer refuses.
private struct MissingSample: Error {}

private func unwrapped<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw MissingSample() }
  return value
}

extension HoldReason: Sample {
  static var sample: HoldReason { .unassigned(version: "9.0.43") }
}
