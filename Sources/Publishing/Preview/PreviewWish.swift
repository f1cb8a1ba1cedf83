import Curation
import Foundation
import Storage

/// What a preview is asked for, as the database keeps it: sets of thresholds are not copied but named by their version.
struct PreviewWish: DeskNote {
  let base: Int32
  let category: ReportCategory
  let country: String?
  /// Nil where a country's own threshold is to go.
  let threshold: Threshold?

  init(_ request: ThresholdPreviews.Request) {
    (base, category, country) = (request.base, request.category, request.country)
    threshold = request.change.thresholds.first { $0.category == request.category && $0.country == request.country }
  }

  /// With the sets as they were.
  /// - Throws: `StorageError` where the version is gone; `ThresholdProblem`.
  func request(_ job: DeskJob, _ store: ThresholdStore) async throws -> ThresholdPreviews.Request {
    let present = try await store.version(base).set
    let change =
      if let threshold {
        try present.replacing(threshold)
      } else if let country {
        try present.removing(category, country: country)
      } else {
        present
      }
    return ThresholdPreviews.Request(
      id: job.id, account: job.account, base: base, category: category, country: country, present: present,
      change: change)
  }
}

/// What a preview shows, as the database keeps it.
struct PreviewOutcome: DeskNote {
  let preview: ThresholdPreview
  let asOf: Date

  init(preview: ThresholdPreview, asOf: Date) {
    self.preview = preview
    self.asOf = asOf
  }
}

extension PreviewStep {
  /// As the database keeps it.
  var text: String {
    switch self {
    case .brigades: "brigades"
    case .judging(let count): "judging \(count)"
    }
  }

  init?(_ text: String) {
    if text == "brigades" {
      self = .brigades
    } else if text.hasPrefix("judging "), let count = Int(text.dropFirst(8)) {
      self = .judging(count)
    } else {
      return nil
    }
  }
}
