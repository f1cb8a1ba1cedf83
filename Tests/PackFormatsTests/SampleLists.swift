// SPDX-License-Identifier: Apache-2.0

import PackFormats
import TestData

/// An entry as the independent readers print it.
struct Row: Codable, Equatable {
  var number: Int64
  var label: String?
  var block: Bool

  init(_ entry: ListEntry) {
    number = entry.number
    label = entry.label
    block = entry.blocks
  }
}

enum SampleLists {
  /// Labels that need escaping in some format.
  static let labels = [
    "Scam", "Müller & Söhne <GmbH>", "a,b;c", "\"quoted\" it's", "=1+1", "+49 30 1", "-2", "@SUM(A1)", "tab\there",
    "two\nlines\r\n", "back\\slash", "$(reboot) `id`", "日本語のラベル", "👩‍👩‍👧 family", "e\u{301}", "null", " padded ", "%s%n",
    "--",
    "\u{1}control", "line\u{2028}separator", "'apostrophe'",
  ]

  /// An ascending list of `count` entries with all combinations and all of these labels.
  static func mixed(_ count: Int, seed: UInt64) -> [ListEntry] {
    var generator = SeededGenerator(seed: seed)
    var number: Int64 = 0
    return (0..<count).map { index in
      number += Int64.random(in: 1...5_000_000_000, using: &generator)
      let label = Bool.random(using: &generator) ? labels[index % labels.count] : nil
      return ListEntry(number: number, label: label, blocks: label == nil || Bool.random(using: &generator))
    }
  }

  /// The same list without characters that a line-based format must change.
  static func printable(_ count: Int, seed: UInt64) -> [ListEntry] {
    mixed(count, seed: seed).map { entry in
      var entry = entry
      if entry.label?.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 0x2028 }) == true {
        entry.label = "Plain"
      }
      return entry
    }
  }
}

extension EntryWriter {
  func write(_ entries: [ListEntry]) throws -> ExportSummary {
    for entry in entries { try append(entry) }
    return try finish()
  }
}
