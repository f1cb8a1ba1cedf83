// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Creates one month's partition of `reports`. DDL takes no parameters; the text contains only two integers.
struct CreateReportPartition {
  let month: Month

  var script: String {
    let next = month.next
    let start = String(format: "%04d-%02d-01 00:00:00+00", month.year, month.month)
    let end = String(format: "%04d-%02d-01 00:00:00+00", next.year, next.month)
    let name = String(format: "reports_%04d_%02d", month.year, month.month)
    return "CREATE TABLE IF NOT EXISTS \(name) PARTITION OF reports FOR VALUES FROM ('\(start)') TO ('\(end)')"
  }
}
