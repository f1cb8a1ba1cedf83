import ArgumentParser
import Curation
import Foundation
import Importing
import Storage

/// `ringfence bench curation replay`
struct ReplayBenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay a file of complaints month by month, and say how useful each month's list was in the next.",
    discussion: """
      At the end of every month the thresholds in force decide what is listed, with the last month's list for the \
      leaving side. Used: complained of again in the next month. Beside it plain lists of the same size: the numbers \
      with the most complaints in the month, and in all months so far. Then, for k = 3, 5 and 10, all numbers with at \
      least k complaints in the month, and as many of ours: those listed first, then the hottest.

      Complaints are taken as rows of one list, without reporters, at noon of their day.
      """)

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "The file.")
  var file: String

  @Option(help: "ftc-tsv, ftc-csv or jsonl.")
  var format: ComplaintFormat

  @Option(help: "Take every complaint for one of this category, to see what its threshold does; may be given again.")
  var category: [String] = []

  func validate() throws {
    for category in category where ReportCategory(slug: category)?.isToxic != true {
      throw ValidationError("--category \(category) is no toxic category.")
    }
  }

  func run() async throws {
    let (thresholds, installation) = try await Workplace.open(
      database, owns: false, makes: true, logger: .quiet
    ) { workplace in
      (try await workplace.thresholds.current(), workplace.installation)
    }
    let options = ImportOptions(
      path: file, format: format, subjects: try SubjectTable(contentsOf: "\(installation.resources)/ftc-subjects.tsv"))
    let gathered = GatheredComplaints()
    let step = Step("Reading \(file)")
    _ = try await ImportPipeline(options: options).run { complaints in
      await gathered.take(complaints)
      return SinkResult(inserted: complaints.count, duplicates: 0)
    }
    step.finish()
    let complaints = await gathered.byNumber
    let forced: [ReportCategory?] = category.isEmpty ? [nil] : category.map { ReportCategory(slug: $0) }
    for category in forced {
      print("\nJudged as \(category?.slug ?? "what they are"):\n\n\(ReplayMonth.header)")
      var replay = CurationReplay(complaints, as: category, thresholds: thresholds)
      for month in replay.months.dropLast() { print(replay.judge(month).line) }
    }
  }
}

/// Complaints by number.
private actor GatheredComplaints {
  private(set) var byNumber: [Int64: [CurationReplay.Said]] = [:]

  func take(_ complaints: [ParsedComplaint]) {
    for complaint in complaints {
      byNumber[complaint.number, default: []].append(
        .init(day: ComplaintDays.day(of: complaint.reportedAt), category: complaint.category))
    }
  }
}
