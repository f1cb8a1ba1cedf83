import Curation
import Foundation
import TestSupport
import Testing

@testable import Importing

/// Real complaint files, read where they lie.
@Suite struct RealFilesTests {
  @Test func theDailyFile() async throws {
    let subjects = try SubjectTable(contentsOf: "\(Checkout.resources)/ftc-subjects.tsv")
    guard let path = Checkout.shared("data/complaints/ftc-daily-2021-07-08.csv.gz") else { return }
    let options = ImportOptions(path: path, format: .ftcCSV, subjects: subjects)
    let sink = MemorySink()
    let first = try await ImportPipeline(options: options).run { await sink.take($0) }
    print(first)
    #expect(first.rows == 14_034)
    #expect(first.rejected[.emptyNumber] == 669)
    #expect(first.accepted + first.rejectedRows == first.rows)
    #expect(first.inserted == first.accepted && first.accepted > 13_000)
    #expect(first.unknownSubjects == [:])
    let rows = await sink.rows
    #expect(Set(rows.map(\.category.slug)).isSuperset(of: ["fraud", "silent", "telemarketing", "robocall", "other"]))
    #expect(rows.allSatisfy { (1_625_616_000...1_625_702_400).contains($0.reportedAt.timeIntervalSince1970) })
    let second = try await ImportPipeline(options: options).run { await sink.take($0) }
    #expect(second.inserted == 0 && second.duplicates == first.inserted)
  }

  @Test func theStartOfTheYear2020() async throws {
    guard let path = Checkout.shared("data/complaints/ftc-2020.tsv.gz") else { return }
    let reader = try LineReader(path: path)
    var text = ""
    for _ in 0...50_000 { text += (try reader.next()?.text ?? "") + "\n" }
    let sink = MemorySink()
    let (_, summary) = try await runImport(text, format: .ftcTSV, sink: sink)
    print(summary)
    #expect(summary.rows == 50_000)
    #expect(summary.accepted + summary.rejectedRows == summary.rows)
    #expect(summary.inserted == summary.accepted && summary.accepted > 42_000)
    #expect(summary.rejected[.emptyNumber, default: 0] > 1_000)
    let known: Set<RejectReason> = [
      .emptyNumber, .notANumber, .tooShort, .tooLong, .notValid, .shortOrEmergency, .unknownCallingCode,
    ]
    #expect(known.isSuperset(of: summary.rejected.keys))
    let again = try await runImport(text, format: .ftcTSV, sink: sink)
    #expect(again.summary.inserted == 0)
  }
}
