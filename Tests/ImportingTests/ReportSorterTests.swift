// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import TestSupport
import Testing

@testable import Importing
@testable import Storage

@Suite struct ReportSorterTests {
  @Test(arguments: [0, 1, 89, 90, 1_000]) func `reads all reports in order, as often as wanted`(count: Int) throws {
    var generator = SeededGenerator(seed: 54)
    let reports = (0..<count).map { index in
      var report = Report(
        number: 12_015_550_100 + Int64.random(in: 0..<300, using: &generator), appID: 7, reportID: UUID(),
        reportedAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(index) * 86_400),
        category: [.fraud, .other, .legitimate][index % 3], reporter: nil, weight: Float(index % 2))
      report.isUnassigned = report.number % 7 == 0
      return report
    }
    let sorter = try ReportSorter(folder: NSTemporaryDirectory(), rowsOfRun: 90)
    for start in stride(from: 0, to: count, by: 70) { try sorter.add(Array(reports[start..<min(count, start + 70)])) }
    let sorted = try sorter.finish()
    for limit in [1, 64, 2_000] {
      let next = try sorted.read()
      var read: [Report] = []
      while case let batch = try next(limit), !batch.isEmpty {
        #expect(batch.count <= limit)
        read += batch
      }
      let order = { (report: Report) in (report.number, report.category.rawValue, report.reportID.uuidString) }
      let orders = read.map { [$0.number, Int64($0.category.rawValue)] }
      #expect(orders == orders.sorted { $0.lexicographicallyPrecedes($1) })
      #expect(read.sorted { order($0) < order($1) } == reports.sorted { order($0) < order($1) })
    }
  }
}
