import Foundation
import Testing

@testable import RingfenceClient

@Suite struct OutboxTests {
  /// What waits, as far as a server can see.
  private struct Picture: Equatable {
    let reports: [UUID]
    let withdrawals: [UUID]
    let batches: [CallBatch]
    let counts: CallCounts

    init(_ outbox: Outbox) {
      reports = outbox.reports.map(\.id)
      withdrawals = outbox.withdrawals
      batches = outbox.batches
      counts = outbox.counts
    }
  }

  private func size(_ path: String) throws -> Int {
    try Data(contentsOf: URL(filePath: path)).count
  }

  /// Does something at random; the file says what was done.
  private func step(_ outbox: Outbox, using chance: inout Chance) throws {
    let day = "2026-11-\(Int.random(in: 10...12, using: &chance))"
    switch Int.random(in: 0..<10, using: &chance) {
    case 0...2: try outbox.accept(report(comment: String(repeating: "x", count: .random(in: 0...40, using: &chance))))
    case 3...5:
      try outbox.accept(
        CallItem(number: "+4930\(Int.random(in: 0..<5, using: &chance))", region: nil, named: 1, unknown: 0, day: day))
    // One day, so one record.
    case 6: try outbox.seal(before: "2026-11-11", makeID: { UUID() })
    case 7: if let batch = outbox.batches.first { try outbox.settle(batch: batch.batchID) }
    case 8: if let one = outbox.reports.randomElement(using: &chance) { try outbox.settle(reports: [one.id]) }
    default: try outbox.withdraw(outbox.reports.randomElement(using: &chance)?.id ?? UUID())
    }
  }

  /// The app dies while a byte is being written: whatever byte it is, what was there before that write is there, and
  /// nothing else; and the file goes on being good.
  @Test(arguments: [1, 2, 3] as [UInt64]) func survivesACutAtEveryByte(seed: UInt64) async throws {
    try await withFolder { folder in
      let path = folder.appending(path: "outbox").path
      var chance = Chance(state: seed)
      var pictures: [(end: Int, picture: Picture)] = []
      do {
        let outbox = try Outbox(path: path, limit: 1 << 20)
        pictures.append((try size(path), Picture(outbox)))
        for _ in 0..<25 {
          let before = try size(path)
          try step(outbox, using: &chance)
          // An empty outbox begins its file anew; the cuts are of what comes after.
          if try size(path) < before { pictures = [] }
          pictures.append((try size(path), Picture(outbox)))
        }
      }
      let whole = try Data(contentsOf: URL(filePath: path))
      let copy = folder.appending(path: "copy")
      for length in 0...whole.count {
        try whole.prefix(length).write(to: copy)
        let expected = pictures.last { $0.end <= length }?.picture
        do {
          let outbox = try Outbox(path: copy.path, limit: 1 << 20)
          if let expected { try #require(Picture(outbox) == expected, "cut at \(length)") }
          guard length.isMultiple(of: 5) else { continue }
          try outbox.accept(report())
        }
        let again = try Outbox(path: copy.path, limit: 1 << 20)
        #expect(again.cut == 0)
        #expect(again.reports.count == (expected?.reports.count ?? 0) + 1)
      }
    }
  }

  @Test func cutsDamageOffAndKeepsWhatComesBefore() async throws {
    try await withFolder { folder in
      let path = folder.appending(path: "outbox").path
      let reports = try (0..<5).map { _ in try report() }
      var ends = [JournalFile.header.count]
      do {
        let outbox = try Outbox(path: path, limit: 1 << 20)
        for one in reports {
          try outbox.accept(one)
          ends.append(try size(path))
        }
      }
      let whole = try Data(contentsOf: URL(filePath: path))
      for place in stride(from: JournalFile.header.count, to: whole.count, by: 7) {
        var data = whole
        data[place] ^= 0x10
        try data.write(to: URL(filePath: path))
        let outbox = try Outbox(path: path, limit: 1 << 20)
        let good = ends.count { $0 <= place } - 1
        #expect(outbox.reports.map(\.id) == reports.prefix(good).map(\.reportID))
        #expect(outbox.cut == whole.count - ends[good])
      }
      // Another version's file, or none of ours, is put aside.
      try Data("SOMETHING ELSE".utf8).write(to: URL(filePath: path))
      #expect(try Outbox(path: path, limit: 1 << 20).cut == 14)
      #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
    }
  }

  @Test func refusesWhatIsTooMuchAndKeepsWhatItHas() async throws {
    try await withFolder { folder in
      let path = folder.appending(path: "outbox").path
      let outbox = try Outbox(path: path, limit: 4_096)
      var accepted = 0
      #expect(throws: ClientError.full) {
        while true {
          try outbox.accept(report(comment: String(repeating: "y", count: 200)))
          accepted += 1
        }
      }
      #expect(accepted > 5)
      #expect(try Outbox(path: path, limit: 4_096).reports.count == accepted)
      try outbox.settle(reports: outbox.reports.map(\.id))
      try outbox.accept(report())
      #expect(try size(path) < 1_000)
    }
  }

  @Test func fileStaysSmallWhileThingsComeAndGo() async throws {
    try await withFolder { folder in
      let path = folder.appending(path: "outbox").path
      let outbox = try Outbox(path: path, limit: 1 << 20)
      let kept = try report()
      try outbox.accept(kept)
      for _ in 0..<600 {
        let one = try report(comment: String(repeating: "z", count: 300))
        try outbox.accept(one)
        try outbox.settle(reports: [one.reportID])
        try outbox.accept(CallItem(number: "+4930", region: nil, named: 1, unknown: 1, day: "2026-11-21"))
      }
      #expect(try size(path) < 200_000)
      let again = try Outbox(path: path, limit: 1 << 20)
      #expect(Picture(again) == Picture(outbox))
      #expect(again.counts.items.map(\.named) == [600])
      #expect(again.reports.map(\.id) == [kept.reportID])
    }
  }

  @Test func sameReportTwiceIsOneAndAnotherUnderItsIDIsRefused() async throws {
    try await withFolder { folder in
      let outbox = try Outbox(path: folder.appending(path: "outbox").path, limit: 1 << 20)
      let one = try report()
      try outbox.accept(one)
      try outbox.accept(one)
      #expect(outbox.reports.count == 1)
      #expect(throws: ClientError.self) {
        try outbox.accept(ClientReport(number: "+4930", category: "fraud", reporter: "a", reportID: one.reportID))
      }
      // It was never sent: nothing of it has to be taken back elsewhere.
      try outbox.withdraw(one.reportID)
      #expect(outbox.isEmpty)
    }
  }
}
