// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The text of the store's own SQL, for programs that run it without the store.
extension ReportStore {
  /// The statement that stores a batch of reports and updates the aggregates, with the placeholders `$1` to `$17`.
  package static var insertSQL: String { SQL.acceptReportsByID }

  /// Seconds before and after a report within which its id is looked up; bound to `$14` and `$15`.
  package static var idWindow: TimeInterval { SQL.reportIDWindow }

  /// Scripts that create the partitions of the month of `time` and of the next one.
  package static func partitionScripts(at time: Date) -> [String] {
    let month = Month(containing: time)
    return [month, month.next].map { CreateReportPartition(month: $0).script }
  }
}
