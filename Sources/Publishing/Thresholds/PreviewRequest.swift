import Curation
import Foundation
import Storage

/// What a preview is asked for, as the database keeps it: sets of thresholds are not copied but named by their version.
struct PreviewRequest: JobMessage {
  let base: Int32
  /// Nil for a list.
  let category: ReportCategory?
  let country: String?
  /// Nil where a country's own threshold is to go.
  let threshold: Threshold?
  /// Nil for a threshold.
  let list: Int32?
  /// Nil where a list's own rule is to go.
  let rule: SourceRule?

  init(_ request: ThresholdPreviews.Request) {
    base = request.base
    switch request.subject {
    case .threshold(let category, let country):
      (self.category, self.country, list, rule) = (category, country, nil, nil)
      threshold = request.change.own(category, country: country)
    case .list(let list):
      (category, country, threshold, self.list) = (nil, nil, nil, list)
      rule = request.change.own(list: list)
    }
  }

  /// With the sets as they were.
  /// - Throws: `StorageError` where the version is gone; `ThresholdProblem`.
  func request(_ job: BackgroundJob, _ store: ThresholdStore) async throws -> ThresholdPreviews.Request {
    let present = try await store.version(base).set
    let subject: ThresholdPreviews.Subject
    var change = present
    if let list {
      subject = .list(list)
      change = try rule.map { try present.replacing($0) } ?? present.removing(ruleOfList: list)
    } else {
      let category = category ?? .other
      subject = .threshold(category, country: country)
      if let threshold {
        change = try present.replacing(threshold)
      } else if let country {
        change = try present.removing(category, country: country)
      }
    }
    return ThresholdPreviews.Request(
      id: job.id, account: job.account, base: base, subject: subject, present: present, change: change)
  }
}

/// What a preview shows, as the database keeps it.
struct PreviewOutcome: JobMessage {
  let preview: ThresholdPreview
  let asOf: Date

  init(preview: ThresholdPreview, asOf: Date) {
    self.preview = preview
    self.asOf = asOf
  }
}
