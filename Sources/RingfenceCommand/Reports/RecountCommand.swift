// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Storage

struct RecountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recount", abstract: "Compare the stored sums with all reports and identifications.",
    discussion: """
      Reads all reports; the server can keep running. Prints one line per difference: number, field, stored value, \
      recounted value. The exit code is 1 if there are differences and --repair is not set.
      """)

  @OptionGroup var database: DatabaseOptions

  @Flag(help: "Replace different values with the recounted ones.")
  var repair = false

  @Option(help: .value("number", "First number to recount, in international form: +33199000248."))
  var from: String?

  @Option(help: .value("number", "Last number to recount."))
  var to: String?

  func validate() throws {
    _ = try range()
  }

  func run() async throws {
    let numbers = try range()
    let summary = try await database.open { context in
      try await context.recount(numbers, repairs: repair)
    }
    if summary.beyondRetention > 0 {
      print(
        "\(TextFormat.count(summary.beyondRetention, "number")) not recounted: first reported before the oldest stored month "
          + "of reports.")
    }
    guard summary.differences > 0 else {
      return print("\(TextFormat.count(summary.numbers, "number")) recounted: no differences.")
    }
    let found =
      "\(TextFormat.count(summary.numbers, "number")) recounted: \(TextFormat.count(summary.differences, "difference")) "
      + "in \(TextFormat.count(summary.damagedNumbers, "number"))"
    guard repair else {
      throw CommandFailure.failed("\(found). Repair them with: ringfence recount --repair")
    }
    print("\(found). They are repaired.")
  }

  private func range() throws -> ClosedRange<Int64> {
    let all = RecountStore.allNumbers
    let first = try from.map { try Self.digits($0, "--from") } ?? all.lowerBound
    let last = try to.map { try Self.digits($0, "--to") } ?? all.upperBound
    guard first <= last else { throw ValidationError("--from +\(first) is above --to +\(last). Swap them.") }
    return first...last
  }

  /// The digits without validation, because a damaged row may have an invalid number.
  private static func digits(_ text: String, _ option: String) throws -> Int64 {
    let plain = text.hasPrefix("+") ? String(text.dropFirst()) : text
    guard let digits = Int64(plain), RecountStore.allNumbers.contains(digits) else {
      throw ValidationError("\(option) \"\(text)\" is not a number in international form. Write it as +33199000248.")
    }
    return digits
  }
}

extension CommandContext {
  /// Recounts, with a progress line on standard error and the differences on standard output.
  fileprivate func recount(_ numbers: ClosedRange<Int64>, repairs: Bool) async throws -> RecountSummary {
    let store = stores.recount
    let count = try await store.count(in: numbers)
    // The total is unknown if the database has no rows.
    let meter = ProgressMeter(
      title: "Recounting", total: count > 0 ? UInt64(count) : nil, unit: .items("numbers"))
    defer { meter.finish() }
    return try await store.recount(
      numbers, repairs: repairs,
      found: { differences in
        for difference in differences { print(difference.line) }
      },
      progress: { meter.update(done: UInt64($0)) })
  }
}

extension RecountDifference {
  /// Number, name, stored value and recounted value, separated by tabs.
  fileprivate var line: String {
    "+\(number)\t\(what)\tstored \(stored ?? "nothing")\trecounted \(recounted ?? "nothing")"
  }
}
