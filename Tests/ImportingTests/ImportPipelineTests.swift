// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import Importing

@Suite struct ImportPipelineTests {
  private static func tsv(_ count: Int) -> String {
    (0..<count).map { "2020-01-02\t201555\(String($0 % 10_000 + 10_000).dropFirst())\t\($0)\n" }.joined()
  }

  /// Waits until the condition holds, a minute at most.
  private func wait(_ condition: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(300)
    while !condition(), .now < deadline { try await Task.sleep(for: .milliseconds(10)) }
  }

  @Test(arguments: [1, 2, 7]) func `batches are full and contain each row once`(workers: Int) async throws {
    let sink = MemorySink()
    let progress = Mutex<[ImportProgress]>([])
    let scratch = try Scratch()
    var options = ImportOptions(path: try scratch.file(Self.tsv(25_500)), format: .ftcTSV)
    options.workers = workers
    let summary = try await ImportPipeline(options: options).run(
      progress: { step in progress.withLock { $0.append(step) } },
      into: { await sink.take($0) })
    #expect(await sink.rows.map(\.line).sorted() == Array(1...25_500))
    #expect(await sink.batches.sorted() == [10_500, 15_000])
    #expect(summary.rows == 25_500 && summary.accepted == 25_500 && summary.inserted == 25_500)
    let last = try #require(progress.withLock { $0.last })
    #expect(last.rows == 25_500 && last.written == 25_500 && last.bytesRead == last.totalBytes)
  }

  @Test(arguments: [(ComplaintFormat.ftcTSV, 2), (.jsonLines, 1)])
  func `batches are stored at once unless rows have reporters`(format: ComplaintFormat, writers: Int) async throws {
    let lines =
      format == .ftcTSV
      ? Self.tsv(5_000)
      : (0..<5_000).map { _ in
        "{\"number\":\"+12015550123\",\"category\":\"fraud\",\"reported_at\":\"2020-01-02T00:00:00Z\"}\n"
      }.joined()
    let scratch = try Scratch()
    let running = Mutex(0)
    let most = Mutex(0)
    let lineBefore = Mutex(0)
    var options = ImportOptions(path: try scratch.file(lines), format: format)
    options.batchRows = 2_000
    let summary = try await ImportPipeline(options: options).run { batch in
      let count = running.withLock { count in
        count += 1
        return count
      }
      most.withLock { $0 = max($0, count) }
      if writers == 1 {
        let first = try #require(batch.first?.line)
        let isInOrder = lineBefore.withLock { before in
          defer { before = first }
          return before < first
        }
        #expect(isInOrder)
      } else {
        // Until the other batch is there too.
        try await wait { most.withLock { $0 } >= writers }
      }
      running.withLock { $0 -= 1 }
      return SinkResult(inserted: batch.count, duplicates: 0)
    }
    #expect(most.withLock { $0 } == writers && summary.inserted == 5_000)
  }

  @Test func `an empty file or one with only a header has no rows`() async throws {
    for text in ["", "\n\n", "created_date\tcompany_phone_number_raw\tconsumer_area_code\n"] {
      let (rows, summary) = try await runImport(text, format: .ftcTSV)
      #expect(rows.isEmpty && summary.rows == 0)
    }
    #expect(try await runImport("", format: .jsonLines).summary.rows == 0)
  }

  @Test func `the sink writes while the next batch is read`() async throws {
    let scratch = try Scratch()
    let seen = Mutex(0)
    let options = ImportOptions(path: try scratch.file(Self.tsv(60_000)), format: .ftcTSV)
    let readAhead = Mutex(false)
    _ = try await ImportPipeline(options: options).run(
      progress: { step in seen.withLock { $0 = step.rows } },
      into: { batch in
        let before = seen.withLock { $0 }
        try await wait { readAhead.withLock { $0 } || seen.withLock { $0 } >= before + 5_000 }
        if seen.withLock({ $0 }) >= before + 5_000 { readAhead.withLock { $0 = true } }
        return SinkResult(inserted: batch.count, duplicates: 0)
      })
    #expect(readAhead.withLock { $0 })
  }

  @Test func `rejected lines are written in full`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("rejects.tsv")
    let text = "2020-01-02\t\t201\n2020-01-02\t\u{1B}[2J\\a\t201\nbroken\n2020-01-02\t2015550123\t201\n"
    let (rows, summary) = try await runImport(text, format: .ftcTSV) { $0.rejectsPath = path }
    #expect(rows.count == 1 && summary.rejectedRows == 3)
    let written = try String(contentsOfFile: path, encoding: .utf8)
    #expect(
      written == "1\tempty_number\t2020-01-02\\t\\t201\n2\tnot_a_number\t2020-01-02\\t\\x1b[2J\\\\a\\t201\n"
        + "3\twrong_columns\tbroken\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) == ["rejects.tsv"])
  }

  @Test func `rejected lines can be discarded`() async throws {
    let (_, summary) = try await runImport("broken\n", format: .ftcTSV) { $0.rejectsPath = "/dev/null" }
    #expect(summary.rejectedRows == 1)
    #expect(
      try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
        == .typeCharacterSpecial)
  }

  @Test func `a failed import leaves no file of rejected lines`() async throws {
    let scratch = try Scratch()
    let bytes = gzip((Self.tsv(5_000) + "bad\n").utf8)
    var options = ImportOptions(path: try scratch.file(bytes.dropLast(9), name: "in.gz"), format: .ftcTSV)
    options.rejectsPath = scratch.path("rejects.tsv")
    await #expect(throws: ImportFileError.self) {
      try await ImportPipeline(options: options).run { SinkResult(inserted: $0.count, duplicates: 0) }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) == ["in.gz"])
  }

  private struct SinkFailure: Error {}

  @Test(.timeLimit(.minutes(5))) func `a failing sink ends an import from a silent pipe`() async throws {
    let pipe = try SilentPipe(Self.tsv(3_000))
    var options = ImportOptions(path: pipe.path, format: .ftcTSV)
    options.batchRows = 1_000
    await #expect(throws: SinkFailure.self) {
      try await ImportPipeline(options: options).run { _ in throw SinkFailure() }
    }
  }

  @Test(.timeLimit(.minutes(5))) func `cancellation ends an import from a silent pipe`() async throws {
    let pipe = try SilentPipe(Self.tsv(10))
    let options = ImportOptions(path: pipe.path, format: .ftcTSV)
    let task = Task {
      try await ImportPipeline(options: options).run { SinkResult(inserted: $0.count, duplicates: 0) }
    }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(.timeLimit(.minutes(5))) func `cancellation ends the wait for the writer of a pipe`() async throws {
    let scratch = try Scratch()
    try #require(mkfifo(scratch.path("pipe"), 0o600) == 0)
    let options = ImportOptions(path: scratch.path("pipe"), format: .ftcTSV)
    let task = Task {
      try await ImportPipeline(options: options).run { SinkResult(inserted: $0.count, duplicates: 0) }
    }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a summary keeps at most a thousand unknown subjects`() {
    var summary = ImportSummary()
    summary.countUnknownSubject("a", times: 2)
    for index in 0..<2_000 { summary.countUnknownSubject("\(index)", times: 1) }
    #expect(summary.unknownSubjects.count == ImportSummary.maximumSubjects)
    #expect(summary.unknownSubjectRows == 2_002)
  }

  @Test(.timeLimit(.minutes(5))) func `cancellation reaches the sink`() async throws {
    let scratch = try Scratch()
    let options = ImportOptions(path: try scratch.file(Self.tsv(15_000)), format: .ftcTSV)
    let task = Task {
      try await ImportPipeline(options: options).run { _ in
        try await Task.sleep(for: .seconds(600))
        return SinkResult(inserted: 0, duplicates: 0)
      }
    }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

/// A named pipe with some text that then blocks, without ending.
private final class SilentPipe {
  private let scratch: Scratch
  private let handle: FileHandle
  let path: String

  init(_ text: String) throws {
    scratch = try Scratch()
    path = scratch.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    // Open for both, so that neither end waits for the other; beyond the pipe's 64 KB the text is cut.
    handle = try #require(FileHandle(forUpdatingAtPath: path))
    try handle.write(contentsOf: Array(text.utf8.prefix(60_000)))
  }
}
