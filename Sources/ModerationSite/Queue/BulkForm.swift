// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Crypto
import Curation
import Foundation
import PhoneNumbers
import Storage

/// The form of a bulk decision.
struct BulkForm {
  let numbers: [Int64]
  let treatment: Decision.Treatment?
  let label: String?
  let category: ReportCategory?
  let reason: Result<String?, RuleViolation>
  let id: UUID?
  let fingerprint: String?
  /// Whether the owners of guarded numbers were checked; see `BlockRule`.
  let isConfirmed: Bool
  private let form: Form

  init(_ form: Form) {
    numbers = Set(form.all("number").compactMap { Int64($0).flatMap { PhoneNumber(digits: $0)?.digits } }).sorted()
    treatment = form["decision"].flatMap { Decision.Treatment(rawValue: $0) }
    label = treatment == .allow ? nil : form.text("label")
    category = treatment == .allow ? nil : form.text("category").flatMap { ReportCategory(slug: $0) }
    reason = Result { () throws(RuleViolation) in try ReasonField.read(form) }
    id = form["id"].flatMap { UUID(uuidString: $0) }
    fingerprint = form["fingerprint"]
    isConfirmed = form["confirm"] != nil
    self.form = form
  }

  /// The bulk decision of the form, without the numbers.
  /// - Throws: `RuleViolation` for the first missing or wrong field.
  func bulk(by worker: QueueWorker, at time: Date) throws -> Bulk {
    guard let treatment else {
      throw RuleViolation(.decisionNotOffered, field: "decision")
    }
    let bulk = Bulk(
      id: id ?? UUID(), treatment: treatment, label: label, category: category, reason: try reason.get(),
      worker: worker, decidedAt: time, expiresAt: try ExpiryField.read(form, at: time))
    // The rules of single decisions apply.
    _ = try bulk.decision(of: 1)
    return bulk
  }

  /// A hash of a preview: the decision, the numbers, and each number's current decision and protection.
  /// - Parameter guarded: the numbers that are blocked only with a confirmation.
  static func fingerprint(_ bulk: Bulk, _ items: [BulkItem], guarded: Set<Int64>) -> String {
    let lifetime = Decision.lifetime(from: bulk.decidedAt, to: bulk.expiresAt)
    var text = [
      bulk.treatment.rawValue, bulk.label ?? "", bulk.category?.slug ?? "", bulk.reason ?? "", "\(lifetime ?? 0)",
    ]
    text += items.map { item in
      let isWithheld = item.isWithheld(from: bulk.worker, at: bulk.decidedAt)
      return
        "\(item.number) \(item.standing?.decisionID.uuidString ?? "-") \(item.protection == nil ? "" : "protected")"
        + (isWithheld ? " withheld" : "") + (item.isAppealed ? " appealed" : "")
        + (guarded.contains(item.number) ? " guarded" : "")
    }
    let digest = SHA256.hash(data: Data(text.joined(separator: "\n").utf8))
    return Hexadecimal.text(digest.prefix(16))
  }
}
