import Curation
import Foundation
import Storage

/// A bulk that broke off, for the partial `bulk-unfinished`.
struct UnfinishedBulk: Encodable {
  let id: String
  let text: String
  let reason: String
  let time: PageTime

  init(_ run: BulkRun, _ texts: Texts) {
    id = run.id.uuidString.lowercased()
    let left = texts.count("bulk.left", run.numbers - run.rulings)
    let said = texts(
      "bulk.unfinished",
      [
        "name": run.account, "what": texts("case.ruled.\(run.decision.rawValue)"), "done": texts.number(run.rulings),
        "all": texts.number(run.numbers),
      ])
    text = "\(said) \(left)"
    reason = run.reason ?? ""
    time = PageTime(run.ruledAt)
  }
}
