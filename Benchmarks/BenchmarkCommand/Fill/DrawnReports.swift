// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Importing
import PostgreSQL

/// Rows of reports and of their sums for some numbers of a fill, as ``ReportStore`` would have stored them. They are drawn
/// from the index of their number, so that they are the same in every fill of one time.
struct DrawnReports: Sendable {
  /// Reporters are drawn from so many; each has about eight reports.
  private static let reportsOfReporter = 8
  private static let daysBack = 395.0
  /// Networks of older reports are deleted; the first retention deletes those of a day.
  private static let daysWithNetwork = 31.0

  let appID: Int32
  let time: Date
  /// Reports on a number on average, above 1.
  let mean: Double
  let reporters: Int
  /// Weights of reporters by their place.
  private var weights: [Float] = []

  private(set) var reports = PostgresCopyRows(capacity: 16 << 20)
  private(set) var votes = PostgresCopyRows(capacity: 12 << 20)
  private(set) var categories = PostgresCopyRows(capacity: 8 << 20)
  private(set) var numbers = PostgresCopyRows(capacity: 8 << 20)

  init(of appID: Int32, numbers: Int, reports: Int, at time: Date) {
    (self.appID, self.time) = (appID, time)
    mean = Double(reports) / Double(numbers)
    reporters = max(1, reports / Self.reportsOfReporter)
    weights = establishedWeights(numbers: numbers)
  }

  /// The weights that ``ReporterStore/recount(protected:at:progress:)`` gives, so that a server finds nothing to correct. Without
  /// decisions the weight depends on the first report, and on the first and last one on a number of several reporters.
  private func establishedWeights(numbers: Int) -> [Float] {
    var first = [Double](repeating: .infinity, count: reporters)
    var (firstShared, lastShared) = (first, first.map { -$0 })
    for index in 0..<Int64(numbers) {
      var random = SplitMix64(seed: UInt64(index), purpose: 54)
      var arrivals: [UInt64: Double] = [:]
      for report in draw(index, &random) {
        let time = report.reportedAt.timeIntervalSince1970
        arrivals[report.reporter] = min(arrivals[report.reporter] ?? .infinity, time)
      }
      let isShared = arrivals.count >= ReporterWeight.establishedSharers
      for (reporter, time) in arrivals {
        let place = Int(reporter)
        first[place] = min(first[place], time)
        guard isShared else { continue }
        firstShared[place] = min(firstShared[place], time)
        lastShared[place] = max(lastShared[place], time)
      }
    }
    return first.indices.map { place in
      let isOld = first[place] + ReporterWeight.establishedAge <= time.timeIntervalSince1970
      let isConfirmed = lastShared[place] - firstShared[place] >= ReporterWeight.establishedActiveTime
      return isOld && isConfirmed ? 1 : Float(ReporterWeight.newcomer)
    }
  }

  private func weight(of reporter: UInt64) -> Float { weights[Int(reporter)] }

  private struct Drawn {
    var reporter: UInt64
    var category: Int16
    var reportedAt: Date
  }

  private struct Sums {
    var heat = 0.0
    var evidence = 0.0
    var reports: Int64 = 0
    var reporters: Int32 = 0
  }

  /// The number of an index of the fill, from 0 on, as in ``BenchmarkSQL``.
  static func number(ofIndex index: Int64) -> Int64 { 12_010_000_000 + index * 797 + index % 5 }

  /// Adds the number of an index of the fill, with its reports.
  mutating func add(index: Int64) throws {
    let number = Self.number(ofIndex: index)
    var random = SplitMix64(seed: UInt64(index), purpose: 54)
    let reports = draw(index, &random)
    var sums = [Sums](repeating: Sums(), count: 14)
    var days = ComplaintDays()
    var networks: UInt64 = 0
    var voters: [UInt64: Int] = [:]
    for (place, report) in reports.enumerated() {
      sums[Int(report.category)].reports += 1
      if let former = voters[report.reporter], reports[former].reportedAt >= report.reportedAt {
      } else {
        voters[report.reporter] = place
      }
      let reporter = Self.bytes(of: report.reporter)
      if report.category != ReportCategory.legitimate.rawValue {
        days.insert(ComplaintDays.day(of: report.reportedAt))
        networks |= 1 << UInt64(reporter[0] & 63)
      }
      try add(report, number, reporter, &random)
    }
    for place in voters.values {
      let report = reports[place]
      let weight = weight(of: report.reporter)
      sums[Int(report.category)].heat += Decay.heat.storedSum(of: Double(weight), at: report.reportedAt)
      sums[Int(report.category)].evidence += Decay.evidence.storedSum(of: Double(weight), at: report.reportedAt)
      sums[Int(report.category)].reporters += 1
      try votes.append { tuple in
        tuple.append(number)
        tuple.append(Self.bytes(of: report.reporter))
        tuple.append(report.category)
        tuple.append(report.reportedAt)
        tuple.append(weight)
        tuple.append(report.reportedAt)
      }
    }
    try add(number, sums, days, networks, reports.map(\.reportedAt))
  }

  /// Reports on a number: at least one, the others with the probabilities of a geometric distribution. One in four is of a
  /// reporter who has reported the number before.
  private func draw(_ index: Int64, _ random: inout SplitMix64) -> [Drawn] {
    let others = mean > 1 ? Int(-log(Double.random(in: 0x1p-53..<1, using: &random)) / log(1 + 1 / (mean - 1))) : 0
    let category = Int16(1 + index % 12)
    var drawn: [Drawn] = []
    for place in 0...others {
      let isRepeated = place > 0 && random.below(4) == 0
      let age = Double.random(in: 60..<Self.daysBack * 86_400, using: &random)
      drawn.append(
        Drawn(
          reporter: isRepeated ? drawn[random.below(place)].reporter : UInt64(random.below(reporters)),
          category: random.below(10) == 0 ? Int16(1 + random.below(13)) : category,
          reportedAt: Date(timeIntervalSince1970: (time.timeIntervalSince1970 - age).rounded())))
    }
    return drawn
  }

  private mutating func add(
    _ report: Drawn, _ number: Int64, _ reporter: [UInt8], _ random: inout SplitMix64
  ) throws {
    let id = UUID(uuid: unsafeBitCast((random.next(), random.next()), to: uuid_t.self))
    let hasNetwork = time.timeIntervalSince(report.reportedAt) < Self.daysWithNetwork * 86_400
    let hasComment = hasNetwork && random.below(5) == 0
    let weight = weight(of: report.reporter)
    try reports.append { [appID] tuple in
      tuple.append(number)
      tuple.append(appID)
      tuple.append(id)
      tuple.append(report.reportedAt)
      tuple.append(report.reportedAt)
      tuple.append(report.category)
      tuple.append(reporter)
      tuple.append(weight)
      tuple.append(hasComment ? "They wanted to sell something, and called again." : nil as String?)
      tuple.append(hasNetwork ? Array(reporter.prefix(8)) : nil as [UInt8]?)
    }
  }

  private mutating func add(
    _ number: Int64, _ sums: [Sums], _ days: ComplaintDays, _ networks: UInt64, _ times: [Date]
  ) throws {
    var (toxic, legitimate) = (Sums(), 0.0)
    for (category, sum) in sums.enumerated() where sum.reports > 0 {
      toxic.reports += sum.reports
      toxic.reporters += sum.reporters
      if Int16(category) == ReportCategory.legitimate.rawValue {
        legitimate = sum.evidence
      } else {
        toxic.heat += sum.heat
        toxic.evidence += sum.evidence
      }
      try categories.append { tuple in
        tuple.append(number)
        tuple.append(Int16(category))
        tuple.append(sum.heat)
        tuple.append(sum.evidence)
        tuple.append(sum.reports)
        tuple.append(sum.reporters)
      }
    }
    try numbers.append { tuple in
      tuple.append(number)
      tuple.append(toxic.heat)
      tuple.append(toxic.evidence)
      tuple.append(legitimate)
      tuple.append(toxic.reports)
      tuple.append(toxic.reporters)
      tuple.append(times.min() ?? time)
      tuple.append(times.max() ?? time)
      tuple.append(Int64(bitPattern: days.bits))
      // A date is sent as the days since 2000-01-01.
      tuple.append(days.lastDay.map { $0 - 10_957 })
      tuple.append(Int64(bitPattern: networks))
      tuple.append(times.max() ?? time)
    }
  }

  /// A pseudonym of 16 bytes.
  private static func bytes(of reporter: UInt64) -> [UInt8] {
    var random = SplitMix64(seed: reporter, purpose: 7)
    let words = (random.next(), random.next())
    return withUnsafeBytes(of: words) { Array($0) }
  }
}
