// SPDX-License-Identifier: Apache-2.0

import Foundation
import PhoneNumbers
import Testing

/// Prints microseconds of processor time for each text, without assertions. `RINGFENCE_MEASURE=1` runs it; use a
/// release build.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["RINGFENCE_MEASURE"] == "1"))
struct SpeedTests {
  /// Processor time, because a machine may be shared.
  static func measure(_ what: String, _ texts: [String], _ body: (String) -> Int64) {
    var sum: Int64 = 0
    let start = clock()
    for text in texts { sum &+= body(text) }
    let microseconds = Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e6 / Double(max(1, texts.count))
    print("\(what): \(String(format: "%.2f", microseconds)) µs a text over \(texts.count) (sum \(sum))")
  }

  static func measureAll(_ name: String, _ texts: [String], region: String) {
    measure("\(name), PhoneNumber", texts) { (try? reading($0, region).get())?.digits ?? 0 }
    var parser = PhoneNumberParser()
    measure("\(name), parser", texts) { (try? reading($0, region, by: &parser).get())?.digits ?? 0 }
  }

  @Test(.enabled(if: SharedData.has(RawSample.path)))
  func `measures the parsing of distinct texts`() throws {
    Self.measureAll("raw sample", try RawSample.rows().map(\.raw), region: "US")
    let numbers = try RawSample.rows().compactMap { try? PhoneNumber(parsing: $0.raw, region: "US") }.map(\.e164)
    Self.measureAll("raw sample as E.164", numbers, region: "FR")
  }

  @Test(.enabled(if: SharedData.has("complaints/ftc-2020.tsv.gz")))
  func `measures the parsing of complaints in their order`() throws {
    let rows = try SharedData.rows("complaints/ftc-2020.tsv.gz")
    let texts = rows.map { String($0.split(separator: "\t", omittingEmptySubsequences: false)[1]) }
    Self.measureAll("complaints of 2020", texts, region: "US")
  }

  @Test(.enabled(if: SharedData.has("directory/fr_ecoles_94.csv")))
  func `measures the parsing of a directory`() throws {
    let texts = try SharedData.rows("directory/fr_ecoles_94.csv").compactMap {
      $0.split(separator: ",").first.map(String.init)
    }
    Self.measureAll("French directory", texts, region: "FR")
  }

  @Test(.enabled(if: SharedData.has(RawSample.path)))
  func `measures parsing with one and two tasks`() async throws {
    let texts = try RawSample.rows().map(\.raw)
    for tasks in [1, 2] {
      let start = clock()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<tasks { group.addTask { for text in texts { _ = reading(text, "US") } } }
      }
      let microseconds = Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e6 / Double(texts.count * tasks)
      print("\(tasks) tasks: \(String(format: "%.2f", microseconds)) µs of processor time a text")
    }
  }
}
