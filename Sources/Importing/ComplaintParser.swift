// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PhoneNumbers
import Synchronization

/// Parses a chunk of records into complaints, on as many tasks as the options set.
///
/// Each task uses one of the number parsers, which cache their results; the order of the rows is kept within a chunk,
/// and the caller keeps that of the chunks.
struct ComplaintParser: Sendable {
  /// The result of a chunk.
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

  private final class NumberParser: Sendable {
    let state = Mutex(PhoneNumberParser(capacity: ComplaintParser.rememberedNumbers))
  }

  private final class NumberParsers: Sendable {
    let free = Mutex<[NumberParser]>([])
  }

  /// Texts that each number parser caches, at 48 bytes each.
  static let rememberedNumbers = 1 << 17
  /// 2000-01-01.
  private static let earliest = Date(timeIntervalSince1970: 946_684_800)
  /// A placeholder until the row's ordinal is known.
  private static let noID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

  let options: ImportOptions
  let columns: RecordColumns?
  private let latest: Date
  private let parsers = NumberParsers()

  init(options: ImportOptions, columns: RecordColumns?) {
    self.options = options
    self.columns = columns
    // The clock and time zone of a file's origin may be ahead.
    latest = options.now.addingTimeInterval(86_400)
  }

  /// Parses the chunk's records. Complaints without an id get one later, from their digest.
  func parse(_ chunk: RecordChunk) -> ParsedChunk {
    let numbers = parsers.free.withLock { $0.popLast() } ?? NumberParser()
    defer { parsers.free.withLock { $0.append(numbers) } }
    return numbers.state.withLock { parse(chunk, numbers: &$0) }
  }

  private func parse(_ chunk: RecordChunk, numbers: inout PhoneNumberParser) -> ParsedChunk {
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
    let number: PhoneNumber
    do {
      number = try numbers.parse(draft.rawNumber, region: draft.region)
    } catch {
      throw RejectReason(error)
    }
    return ParsedComplaint(
      number: number.digits, category: draft.category, reportedAt: draft.reportedAt,
      reportID: draft.reportID ?? Self.noID, reporter: draft.reporter, comment: draft.comment, line: draft.line)
  }
}
