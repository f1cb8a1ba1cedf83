// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PackDatabases
import PackFormats
import Testing

@testable import Importing

/// Published lists, read back as sources.
@Suite struct ExportReadingTests {
  private static let labels = [
    "Sales", "=1+1", "a,b;c", "\"quoted\" it's", "# 7", "+49 30 1", "two\nlines", "Müller & Söhne",
  ]
  private static let range: ClosedRange<Int64> = 33_199_001_000...33_199_001_999

  /// The format and the options of the source that reads a list; nil where no source does.
  private static func source(of format: ListFormat) -> (SourceFormat, SourceOptions)? {
    var options = SourceOptions()
    switch format {
    case .csv, .freepbx, .tranquille, .fossify: return (.csv, options)
    case .tsv:
      options.numberColumn = "1"
      return (.csv, options)
    case .spamblocker: return (.spamBlockerCSV, options)
    case .spamblockerXML:
      options.attribute = "p"
      return (.spamBlockerXML, options)
    case .fritzbox:
      options.element = "number"
      return (.spamBlockerXML, options)
    case .saracroche: return (.saracroche, options)
    case .jsonl, .twoGIS, .twoGISGzip, .sqlite, .asterisk, .pbbl, .callblocker, .ranges: return nil
    }
  }

  @Test(arguments: ListFormat.allCases.filter { source(of: $0) != nil })
  func `every published number is read back, and no other`(_ format: ListFormat) throws {
    let scratch = try Scratch()
    let path = scratch.path("list")
    let writer = try format.writer(to: .file(URL(filePath: path)))
    let numbers = Self.labels.indices.map { 33_199_000_100 + Int64($0) * 7 }
    for (number, label) in zip(numbers, Self.labels) {
      try writer.append(ListEntry(number: number, label: label, blocks: true))
    }
    try writer.append(
      ListEntry(number: Self.range.lowerBound, last: Self.range.upperBound, label: "Range", blocks: true))
    let written = try writer.finish()
    let (source, options) = try #require(Self.source(of: format))
    let content = try SourceContent(path: path, format: source, options: options, isComplete: true, most: 10_000)
    let read = content.entries.map { $0.number...$0.number } + content.ranges.flatMap(\.range.blocks)
    let covered = Set(read.flatMap { Array($0) })
    // Formats without patterns leave large ranges out.
    let hasRange = covered.count > numbers.count
    #expect(covered == Set(numbers).union(hasRange ? Array(Self.range) : []))
    #expect(hasRange || written.unsuitable > 0 || [.tsv, .freepbx, .spamblockerXML].contains(format))
    #expect(content.rejected.count == 0)
  }
}
