// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestData
import Testing

@testable import RingfenceClient

@Suite struct OutboxTests {
  /// The waiting items, as far as a server can see them.
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

  /// Does something at random; the records in the file show the outcome.
  private func step(_ outbox: Outbox, using chance: inout SeededGenerator) throws {
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

  /// The app dies while any byte is being written. All data from before that write is there, and nothing else, and the
  /// file stays usable.
  @Test(arguments: [1, 2, 3] as [UInt64]) func `the outbox survives a cut at every byte`(seed: UInt64) async throws {
    try await withFolder { folder in
      let path = folder.appending(path: "outbox").path
      var chance = SeededGenerator(seed: seed)
      var pictures: [(end: Int, picture: Picture)] = []
      do {
        let outbox = try Outbox(path: path, limit: 1 << 20)
        pictures.append((try size(path), Picture(outbox)))
        for _ in 0..<25 {
          let before = try size(path)
          try step(outbox, using: &chance)
          // An empty outbox starts its file again; only later writes are cut.
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
        #expect(again.damage == nil)
        #expect(again.reports.count == (expected?.reports.count ?? 0) + 1)
      }
    }
  }

  /// A byte that flips anywhere, a cut anywhere, or a stretch of zeros costs only the records that it touches.
  @Test(arguments: [4, 5, 6] as [UInt64]) func `damage costs only the records that it touches`(seed: UInt64)
    async throws
  {
    try await withFolder { folder in
      let path = folder.appending(path: "outbox")
      var chance = SeededGenerator(seed: seed)
      do {
        let outbox = try Outbox(path: path.path, limit: 1 << 20)
        while try size(path.path) < 1_500 { try step(outbox, using: &chance) }
      }
      let whole = try Data(contentsOf: path)
      let records = try #require(Self.places(of: whole))
      let copy = folder.appending(path: "copy")

      func expectTheRest(of damaged: Data, _ what: String) throws {
        let kept = records.filter { $0.place.upperBound <= damaged.count && damaged[$0.place] == whole[$0.place] }
        let good = Self.file(of: kept.map(\.record))
        try good.write(to: copy)
        let expected = Picture(try Outbox(path: copy.path, limit: 1 << 20))
        try damaged.write(to: copy)
        let outbox = try Outbox(path: copy.path, limit: 1 << 20)
        try #require(Picture(outbox) == expected, "\(what)")
        try #require((outbox.damage == nil) == (damaged.isEmpty || damaged == good), "\(what)")
        // Damage is reported once; the file is then intact.
        let again = try Outbox(path: copy.path, limit: 1 << 20)
        try #require(Picture(again) == expected && again.damage == nil, "\(what)")
      }

      for place in stride(from: Int(seed % 3), to: whole.count, by: 3) {
        var damaged = whole
        damaged[place] ^= UInt8(1 << Int.random(in: 0..<8, using: &chance))
        try expectTheRest(of: damaged, "a flip at \(place)")
      }
      for _ in 0..<60 {
        let place = Int.random(in: 0..<whole.count, using: &chance)
        try expectTheRest(of: whole.prefix(place), "a cut at \(place)")
        let end = min(whole.count, place + .random(in: 1...700, using: &chance))
        var damaged = whole
        damaged.replaceSubrange(place..<end, with: Data(count: end - place))
        try expectTheRest(of: damaged, "zeros at \(place)..<\(end)")
      }
    }
  }

  /// The records of an intact file and their positions; nil for other files.
  private static func places(of data: Data) -> [(record: JournalRecord, place: Range<Int>)]? {
    let bytes = [UInt8](data)
    var place = JournalFile.header.count
    var found: [(JournalRecord, Range<Int>)] = []
    while place < bytes.count {
      guard let record = JournalRecord(bytes, at: place) else { return nil }
      found.append((record, place..<place + record.size))
      place += record.size
    }
    return found
  }

  private static func file(of records: [JournalRecord]) -> Data {
    var bytes = JournalFile.header
    for record in records { record.append(to: &bytes) }
    return Data(bytes)
  }

  @Test func `a copy is kept of a damaged file but not of a torn one`() async throws {
    try await withFolder { folder in
      let path = folder.appending(path: "outbox")
      let copy = URL(filePath: path.path + ".damaged")
      let reports = try (0..<3).map { _ in try report() }
      do {
        let outbox = try Outbox(path: path.path, limit: 1 << 20)
        for one in reports { try outbox.accept(one) }
      }
      let whole = try Data(contentsOf: path)
      try whole.dropLast(5).write(to: path)
      let torn = try Outbox(path: path.path, limit: 1 << 20)
      #expect(torn.damage?.copy == nil && torn.reports.map(\.id) == reports.prefix(2).map(\.reportID))
      #expect(!FileManager.default.fileExists(atPath: copy.path))

      // One copy, of the last damage.
      for place in [20, whole.count / 2] {
        var damaged = whole
        damaged[place] ^= 1
        try damaged.write(to: path)
        let outbox = try Outbox(path: path.path, limit: 1 << 20)
        #expect(outbox.damage?.copy == copy && outbox.reports.count == 2)
        #expect(try Data(contentsOf: copy) == damaged)
        // The copy is a separate file: later records are not written to it.
        try outbox.accept(report())
        #expect(try Data(contentsOf: copy) == damaged)
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names.sorted() == ["outbox", "outbox.damaged"])

      // Not a file of the outbox.
      try Data("SOMETHING ELSE".utf8).write(to: path)
      let empty = try Outbox(path: path.path, limit: 1 << 20)
      #expect(empty.isEmpty && empty.damage == OutboxDamage(bytes: 14, copy: copy))
    }
  }

  @Test func `counts of a settled batch do not return when its record is damaged`() async throws {
    try await withFolder { folder in
      let path = folder.appending(path: "outbox")
      do {
        let outbox = try Outbox(path: path.path, limit: 1 << 20)
        for day in ["2026-11-10", "2026-11-11"] {
          try outbox.accept(CallItem(number: "+4930", region: nil, named: 1, unknown: 0, day: day))
        }
        try outbox.seal(before: "2026-11-11", makeID: { UUID() })
        try outbox.settle(batch: try #require(outbox.batches.first).batchID)
      }
      var data = try Data(contentsOf: path)
      let records = try #require(Self.places(of: data))
      let sealed = try #require(records.first { $0.record.kind == .sealed })
      data[sealed.place.lowerBound + 30] ^= 4
      try data.write(to: path)
      let outbox = try Outbox(path: path.path, limit: 1 << 20)
      #expect(outbox.batches.isEmpty && outbox.counts.items.map(\.day) == ["2026-11-11"])
    }
  }

  @Test func `the client reports a damaged outbox`() async throws {
    try await withFolder { folder in
      var data = Data(JournalFile.header)
      data.append(contentsOf: [UInt8](repeating: 7, count: 40))
      try data.write(to: folder.appending(path: "outbox"))
      let told = Mutex<[ClientEvent]>([])
      let client = try RingfenceClient(
        ClientConfiguration(
          server: #require(URL(string: "http://127.0.0.1:1/v1")), key: "k", folder: folder, anchor: nil),
        transport: ScriptedServer { _ in .init() }, onEvent: { event in told.withLock { $0.append(event) } })
      #expect(client.damage?.bytes == 40)
      #expect(told.withLock { $0 } == [.damaged(bytes: 40)])
    }
  }

  @Test func `a full outbox refuses new reports and keeps the stored ones`() async throws {
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

  @Test func `the outbox file stays small while reports come and go`() async throws {
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

  @Test func `a repeated report is stored once and a different one with its ID is refused`() async throws {
    try await withFolder { folder in
      let outbox = try Outbox(path: folder.appending(path: "outbox").path, limit: 1 << 20)
      let one = try report()
      try outbox.accept(one)
      try outbox.accept(one)
      #expect(outbox.reports.count == 1)
      #expect(throws: ClientError.self) {
        try outbox.accept(ClientReport(number: "+4930", category: "fraud", reporter: "a", reportID: one.reportID))
      }
      // The report was never sent, so the server need not delete it.
      try outbox.withdraw(one.reportID)
      #expect(outbox.isEmpty)
    }
  }
}
