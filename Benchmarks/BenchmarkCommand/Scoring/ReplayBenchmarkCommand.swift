// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Importing
import RingfenceCommand
import Storage

/// `ringfence-benchmark curation replay`
struct ReplayBenchmarkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay a file of reports month by month, and show how useful each month's list was in the next.",
    discussion: """
      At the end of every month the thresholds in force decide what is listed; the list of the month before is tested \
      against the leave limits. Used: reported again in the next month. Compared with plain lists of the same size: \
      the numbers with the most reports in the month, and in all months so far. Then, for k = 3, 5 and 10, all numbers \
      with at least k reports in the month, and as many of ours: those listed first, then the hottest.

      Reports are taken as rows of one source, without reporters, at noon of their day.
      """)

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "The file.")
  var file: String

  @Option(help: "ftc-tsv, ftc-csv or jsonl.")
  var format: ComplaintFormat

  @Option(help: "Treat every report as one of this category, to test its threshold; may be repeated.")
  var category: [String] = []

  func validate() throws {
    for category in category where ReportCategory(slug: category)?.isToxic != true {
      throw ValidationError("--category \(category) is not a toxic category.")
    }
  }

  func run() async throws {
    let (thresholds, installation) = try await database.open(makes: true) { context in
      (try await context.stores.thresholds.current(), context.installation)
    }
    let options = ImportOptions(
      path: file, format: format, subjects: try SubjectTable(contentsOf: "\(installation.resources)/ftc-subjects.tsv"))
    let gathered = GatheredComplaints()
    let step = StatusLine("Reading \(file)")
    _ = try await ImportPipeline(options: options).run { complaints in
      await gathered.take(complaints)
      return SinkResult(inserted: complaints.count, duplicates: 0)
    }
    step.finish()
    let complaints = await gathered.byNumber
    let forced: [ReportCategory?] = category.isEmpty ? [nil] : category.map { ReportCategory(slug: $0) }
    for category in forced {
      print("\nJudged as \(category?.slug ?? "their own category"):\n\n\(ReplayMonth.header)")
      var replay = ThresholdReplay(complaints, as: category, thresholds: thresholds)
      for month in replay.months.dropLast() { print(replay.evaluate(month).row) }
    }
  }
}

/// Collects complaints by number.
private actor GatheredComplaints {
  private(set) var byNumber: [Int64: [ThresholdReplay.Complaint]] = [:]

  func take(_ complaints: [ParsedComplaint]) {
    for complaint in complaints {
      byNumber[complaint.number, default: []].append(
        .init(day: ComplaintDays.day(of: complaint.reportedAt), category: complaint.category))
    }
  }
}
