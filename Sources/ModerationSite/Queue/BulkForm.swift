import HTTPServer
import Crypto
import Curation
import Foundation
import PhoneNumbers
import Storage

/// One decision for many numbers, as a form has it.
struct BulkForm {
  let numbers: [Int64]
  let treatment: Decision.Treatment?
  let label: String?
  let category: ReportCategory?
  let reason: String?
  let id: UUID?
  let fingerprint: String?

  init(_ form: Form) {
    numbers = Set(form.all("number").compactMap { Int64($0).flatMap { PhoneNumber(digits: $0)?.digits } }).sorted()
    treatment = form["decision"].flatMap { Decision.Treatment(rawValue: $0) }
    label = treatment == .allow ? nil : form.text("label")
    category = treatment == .allow ? nil : form.text("category").flatMap { ReportCategory(slug: $0) }
    reason = form.text("reason")
    id = form["id"].flatMap { UUID(uuidString: $0) }
    fingerprint = form["fingerprint"]
  }

  /// The bulk that it asks for.
  /// - Throws: `RuleViolation` for the first thing that is missing.
  func bulk(by worker: QueueWorker, at time: Date) throws -> Bulk {
    guard let treatment else {
      throw RuleViolation(.decisionNotOffered, field: "decision")
    }
    let bulk = Bulk(
      id: id ?? UUID(), treatment: treatment, label: label, category: category, reason: reason, worker: worker,
      decidedAt: time)
    // Its rules are those of any decision.
    _ = try bulk.decision(of: 1)
    return bulk
  }

  /// Stands for all that a preview says would be done: the numbers, what stands for each, and the decision.
  static func fingerprint(_ bulk: Bulk, _ items: [BulkItem]) -> String {
    var text = [bulk.treatment.rawValue, bulk.label ?? "", bulk.category?.slug ?? "", bulk.reason ?? ""]
    text += items.map { item in
      let isWithheld = item.isWithheld(from: bulk.worker, at: bulk.decidedAt)
      return
        "\(item.number) \(item.standing?.decisionID.uuidString ?? "-") \(item.protection == nil ? "" : "protected")"
        + (isWithheld ? " withheld" : "")
    }
    let digest = SHA256.hash(data: Data(text.joined(separator: "\n").utf8))
    return Hexadecimal.text(digest.prefix(16))
  }
}
