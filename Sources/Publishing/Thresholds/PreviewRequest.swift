// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage

/// The stored request of a preview. It names threshold sets by version instead of copying them.
struct PreviewRequest: JobMessage {
  let base: Int32
  /// Nil for a list.
  let category: ReportCategory?
  let country: String?
  /// Nil to remove a country's own threshold.
  let threshold: Threshold?
  /// Nil for a threshold.
  let list: Int32?
  /// Nil to remove a list's own rule.
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

  /// Rebuilds the request with the threshold sets of its version.
  /// - Throws: `StorageError` if the version no longer exists; `ThresholdProblem`.
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

/// The stored outcome of a preview.
struct PreviewOutcome: JobMessage {
  let preview: ThresholdPreview
  let asOf: Date

  init(preview: ThresholdPreview, asOf: Date) {
    self.preview = preview
    self.asOf = asOf
  }
}
