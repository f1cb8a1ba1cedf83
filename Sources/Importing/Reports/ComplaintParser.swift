// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PhoneNumbers
import Support

/// Parses a chunk of records into complaints, on as many tasks as the options set. The order of the rows is kept within a
/// chunk, and the caller keeps the order of the chunks.
struct ComplaintParser: Sendable {
  struct ParsedChunk: Sendable {
    var rows: [(complaint: ParsedComplaint, digest: ContentDigest?)] = []
    var rejects: [ImportReject] = []
    var unknownSubjects: [String: Int] = [:]
    var repaired = 0
    var bytesRead: UInt64 = 0
    var totalBytes: UInt64?
    /// Records in the chunk, rejected ones included.
    var records: Int { rows.count + rejects.count }
  }

  /// 2000-01-01.
  private static let earliest = Date(timeIntervalSince1970: 946_684_800)
  /// A placeholder until the row's ordinal is known.
  private static let noID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

  let options: ImportOptions
  let columns: RecordColumns?
  private let latest: Date

  init(options: ImportOptions, columns: RecordColumns?) {
    self.options = options
    self.columns = columns
    // The clock and time zone of a file's origin may be ahead.
    latest = options.now.addingTimeInterval(86_400)
  }

  /// Parses the chunk's records. Complaints without an id get one later, from their digest.
  func parse(_ chunk: RecordChunk) -> ParsedChunk {
    var numbers = PhoneNumberParser()
    var decoder = DraftDecoder(options: options, columns: columns)
    var parsed = ParsedChunk(bytesRead: chunk.bytesRead, totalBytes: chunk.totalBytes)
    parsed.rows.reserveCapacity(chunk.records.count)
    chunk.bytes.withUnsafeBufferPointer { bytes in
      for record in chunk.records {
        let text = UnsafeBufferPointer(rebasing: bytes[record.start..<record.end])
        switch outcome(of: record, text: text, decoder: &decoder, numbers: &numbers) {
        case .success(let row): parsed.rows.append(row)
        case .failure(let reason):
          let kept = String.repairing(text.prefix(ComplaintLimits.rejectTextBytes)).text
          parsed.rejects.append(ImportReject(line: record.line, reason: reason, text: kept))
        }
      }
    }
    parsed.unknownSubjects = decoder.unknownSubjects
    parsed.repaired = decoder.repaired
    return parsed
  }

  private func outcome(
    of record: RecordChunk.Record, text: UnsafeBufferPointer<UInt8>, decoder: inout DraftDecoder,
    numbers: inout PhoneNumberParser
  ) -> Result<(ParsedComplaint, ContentDigest?), RejectReason> {
    if let problem = record.problem { return .failure(problem) }
    switch decoder.decode(text, line: record.line) {
    case .reject(let reason): return .failure(reason)
    case .draft(let draft, let digest):
      do throws(RejectReason) {
        return .success((try complaint(of: draft, numbers: &numbers), digest))
      } catch {
        return .failure(error)
      }
    }
  }

  private func complaint(
    of draft: ComplaintDraft, numbers: inout PhoneNumberParser
  ) throws(RejectReason) -> ParsedComplaint {
    if draft.reportedAt > latest { throw .dateInFuture }
    if draft.reportedAt < Self.earliest { throw .dateTooOld }
    if let before = options.droppedBefore, draft.reportedAt < before { throw .dateBeforeRetention }
    let number: PossibleNumber
    do {
      number = try numbers.parsePossible(draft.rawNumber, region: draft.region)
    } catch {
      throw RejectReason(error)
    }
    guard number.isAssigned || options.takesUnassigned else { throw .notValid }
    return ParsedComplaint(
      number: number.number.digits, category: draft.category, reportedAt: draft.reportedAt,
      reportID: draft.reportID ?? Self.noID, reporter: draft.reporter, comment: draft.comment, line: draft.line,
      isUnassigned: !number.isAssigned)
  }
}

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

  mutating func decode(_ record: UnsafeBufferPointer<UInt8>, line: Int) -> Outcome {
    isRepaired = false
    defer { repaired += isRepaired ? 1 : 0 }
    guard let columns else { return decodeJSON(record, line: line) }
    if options.format == .ftcCSV {
      guard row.read(record, separator: columns.separator) else { return .reject(.badQuote) }
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

extension DraftDecoder {
  /// The keys of `POST /v1/reports`; others are ignored. Rows with the last two are rejected.
  private struct Report: Decodable {
    var number: String?
    var region: String?
    var category: String?
    var reporter: String?
    var report_id: String?
    var reported_at: String?
    var comment: String?
    var reporter_since: String?
    var client_address: String?
  }

  mutating func decodeJSON(_ record: UnsafeBufferPointer<UInt8>, line: Int) -> Outcome {
    let report: Report
    do {
      report = try decodeReport(record)
    } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty {
      return .reject(.badField)
    } catch let reason as RejectReason {
      return .reject(reason)
    } catch {
      return .reject(.badJSON)
    }
    guard let number = report.number, let slug = report.category, let time = report.reported_at else {
      return .reject(.missingField)
    }
    if let problem = Self.problem(of: report) { return .reject(problem) }
    guard let reportedAt = Timestamp.parse(time) else { return .reject(.badDate) }
    guard let category = ReportCategory(slug: slug) else { return .reject(.unknownCategory) }
    var draft = ComplaintDraft(
      rawNumber: number, region: report.region, category: category, reportedAt: reportedAt, reporter: report.reporter,
      comment: report.comment, line: line)
    if let text = report.report_id {
      guard let id = UUID(uuidString: text) else { return .reject(.badReportID) }
      draft.reportID = id
      return .draft(draft, nil)
    }
    identity.start()
    for field in [number, report.region, slug, report.reporter, time, report.comment] {
      identity.add((field ?? "").utf8)
    }
    return .draft(draft, identity.digest())
  }

  private mutating func decodeReport(_ record: UnsafeBufferPointer<UInt8>) throws -> Report {
    do {
      return try decoder.decode(Report.self, from: Data(record))
    } catch {
      guard String(validating: record, as: UTF8.self) == nil else { throw error }
      guard let text = String.decoding(record) else { throw RejectReason.wrongEncoding }
      isRepaired = true
      return try decoder.decode(Report.self, from: Data(text.utf8))
    }
  }

  private static func problem(of report: Report) -> RejectReason? {
    if report.reporter_since != nil || report.client_address != nil { return .serverField }
    // PostgreSQL's text cannot contain NUL.
    for field in [report.number, report.reporter, report.comment] where field?.utf8.contains(0) == true {
      return .badField
    }
    if let number = report.number, number.utf8.count > ComplaintLimits.numberBytes { return .tooLong }
    if let reporter = report.reporter,
      reporter.utf8.count > ComplaintLimits.reporterBytes || reporter.allSatisfy(\.isWhitespace)
    {
      return .badReporter
    }
    if let comment = report.comment, comment.unicodeScalars.count > CommentRule.maxLength {
      return .commentTooLong
    }
    return nil
  }
}
