// SPDX-License-Identifier: Apache-2.0

import Timestamps
import Curation
import Foundation

/// Reads a chunk's records into drafts. Each task has its own decoder, which counts as it reads.
struct DraftDecoder {
  /// A record's draft, with the digest for its id when it has none; or the reason why there is no draft.
  enum Outcome {
    case draft(ComplaintDraft, ContentDigest?)
    case reject(RejectReason)
  }

  /// Subjects that the table does not have, shortened, with how often they occurred.
  private(set) var unknownSubjects: [String: Int] = [:]
  /// Records in which invalid UTF-8 was replaced.
  private(set) var repaired = 0
  var isRepaired = false
  var identity: IdentityBuilder
  let options: ImportOptions
  let decoder = JSONDecoder()
  private let columns: RecordColumns?
  private var row = CSVRow()

  init(options: ImportOptions, columns: RecordColumns?) {
    self.options = options
    self.columns = columns
    identity = IdentityBuilder(source: options.source)
  }

  /// Reads one record.
  mutating func decode(_ record: UnsafeBufferPointer<UInt8>, line: Int) -> Outcome {
    isRepaired = false
    defer { repaired += isRepaired ? 1 : 0 }
    guard let columns else { return decodeJSON(record, line: line) }
    if options.format == .ftcCSV {
      guard row.read(record) else { return .reject(.badQuote) }
    } else {
      row.split(record, at: UInt8(ascii: "\t"))
    }
    return decodeRow(columns, line: line)
  }

  private mutating func decodeRow(_ columns: RecordColumns, line: Int) -> Outcome {
    guard row.count == columns.count else { return .reject(.wrongColumns) }
    guard row[columns.number].count <= ComplaintLimits.numberBytes else { return .reject(.tooLong) }
    guard let reportedAt = Timestamp.read(row[columns.date]) else { return .reject(.badDate) }
    identity.start()
    for index in 0..<row.count { identity.add(row[index]) }
    let draft = ComplaintDraft(
      rawNumber: text(row[columns.number]), region: options.format.defaultRegion, category: category(columns),
      reportedAt: reportedAt, line: line)
    return .draft(draft, identity.digest())
  }

  private mutating func category(_ columns: RecordColumns) -> ReportCategory {
    guard let column = columns.subject else { return options.defaultCategory }
    let subject = text(row[column].prefix(200))
    let isRecording = columns.recorded.map { row[$0].elementsEqual([UInt8(ascii: "Y")]) } ?? false
    if let category = options.subjects.category(for: subject, isRecording: isRecording) { return category }
    unknownSubjects[subject, default: 0] += 1
    return .other
  }

  private mutating func text(_ bytes: some Collection<UInt8>) -> String {
    let (text, wasRepaired) = String.repairing(bytes)
    if wasRepaired { isRepaired = true }
    return text
  }
}
