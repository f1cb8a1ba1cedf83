// SPDX-License-Identifier: Apache-2.0

import Localization
import Curation
import Foundation
import Storage

/// An interrupted bulk decision, for the partial `bulk-unfinished`.
struct UnfinishedBulk: Encodable {
  let id: String
  let text: String
  let reason: String
  let time: PageTime

  init(_ run: BulkRun, _ texts: Localizer) {
    id = run.id.uuidString.lowercased()
    let left = texts.count("bulk.left", run.numbers - run.decisions)
    let said = texts(
      "bulk.unfinished",
      [
        "name": run.account, "what": texts("case.decided.\(run.treatment.rawValue)"),
        "done": texts.number(run.decisions),
        "all": texts.number(run.numbers),
      ])
    text = "\(said) \(left)"
    reason = run.reason ?? ""
    time = PageTime(run.decidedAt, texts)
  }
}
