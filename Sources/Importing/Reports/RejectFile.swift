// SPDX-License-Identifier: Apache-2.0

import Curation
import Support
import Foundation
import PhoneNumbers

/// A row that was not imported, and why.
struct ImportReject: Sendable, Equatable {
  /// The line in the file, from 1, counting the header; the first line of a row that spans several.
  public var line: Int
  public var reason: RejectReason
  /// The start of the row's text, at most ``ComplaintLimits/rejectTextBytes`` bytes, invalid UTF-8 repaired.
  public var text: String
}

extension RejectedRows {
  mutating func add(_ reject: ImportReject) {
    add(row: reject.line, reason: reject.reason.rawValue, text: reject.text)
  }
}

/// A file of rejected lines that gets its name only when it is complete: line, reason and text, separated by tabs.
///
/// Only its owner can read it, because rejected lines can contain comments.
final class RejectFile {
  private enum Output {
    case file(CompleteFile)
    /// A character device, which is written directly.
    case device(Int32)

    var descriptor: Int32 {
      switch self {
      case .file(let file): file.descriptor
      case .device(let descriptor): descriptor
      }
    }
  }

  private let path: String
  private let output: Output
  private var buffer: [UInt8] = []

  /// Creates the file under a temporary name beside `path`.
  /// - Throws: ``ImportFileError/cannotWrite(path:reason:)``.
  init(path: String) throws(ImportFileError) {
    self.path = path
    // A rename would replace a device such as /dev/null by a file.
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT == S_IFCHR {
      let descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .cannotWrite(path: path, reason: FileBytes.systemMessage()) }
      output = .device(descriptor)
    } else if isThere, status.st_mode & S_IFMT != S_IFREG {
      throw .cannotWrite(path: path, reason: "it is neither a regular file nor a character device")
    } else {
      do throws(FileFailure) {
        output = .file(try CompleteFile(path, temporary: "\(path).\(getpid()).partial"))
      } catch {
        throw .cannotWrite(path: path, reason: error.reason)
      }
    }
  }

  deinit {
    if case .device(let descriptor) = output { close(descriptor) }
  }

  /// - Throws: ``ImportFileError/cannotWrite(path:reason:)``.
  func add(_ reject: ImportReject) throws(ImportFileError) {
    buffer.append(contentsOf: "\(reject.line)\t\(reject.reason.rawValue)\t".utf8)
    for byte in reject.text.utf8 { Self.appendEscaped(byte, to: &buffer) }
    buffer.append(0x0A)
    if buffer.count >= 1 << 16 { try flush() }
  }

  /// Renames the file to its final name; without this call it is removed with this object.
  /// - Throws: ``ImportFileError/cannotWrite(path:reason:)``.
  func finish() throws(ImportFileError) {
    try flush()
    guard case .file(let file) = output else { return }
    do throws(FileFailure) {
      try file.commit(flushing: .file)
    } catch {
      throw .cannotWrite(path: path, reason: error.reason)
    }
  }

  private func flush() throws(ImportFileError) {
    guard writeAll(buffer, to: output.descriptor) else {
      throw .cannotWrite(path: path, reason: FileBytes.systemMessage())
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Escapes control characters, which would break the line or control a terminal.
  private static func appendEscaped(_ byte: UInt8, to buffer: inout [UInt8]) {
    switch byte {
    case 0x09: buffer.append(contentsOf: "\\t".utf8)
    case 0x0A: buffer.append(contentsOf: "\\n".utf8)
    case 0x0D: buffer.append(contentsOf: "\\r".utf8)
    case 0x5C: buffer.append(contentsOf: "\\\\".utf8)
    case 0..<0x20, 0x7F:
      buffer.append(contentsOf: "\\x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
    default: buffer.append(byte)
    }
  }
}

/// The reason why a row was not imported. The raw values are stable codes for summaries and files.
public enum RejectReason: String, Error, CaseIterable, Comparable {
  /// The number is missing or blank.
  case emptyNumber = "empty_number"
  /// A directory's row has no name, or none after cleaning.
  case missingName = "missing_name"
  case notANumber = "not_a_number"
  /// Fewer digits than any number of its region.
  case tooShort = "too_short"
  /// More digits than any number of its region.
  case tooLong = "too_long"
  /// No number of its region begins like this.
  case notValid = "not_valid"
  /// The length is right, but the numbering plan does not have the number: a directory names only numbers of the plan.
  case unassigned
  /// A short code or an emergency number.
  case shortOrEmergency = "short_or_emergency"
  /// A sign in the place of a digit, such as x, ? or ….
  case placeholder
  /// A mask for a range, where the format has single numbers.
  case mask
  /// More than one number, or perhaps more than one.
  case severalNumbers = "several_numbers"
  /// A spreadsheet's decimal or power of ten, which may have lost digits.
  case decimal
  /// The text is neither UTF-8 nor Windows-1252.
  case wrongEncoding = "wrong_encoding"
  /// The number is in national form, but the row has no region.
  case needsRegion = "needs_region"
  /// The digits after the plus do not begin with a calling code.
  case unknownCallingCode = "unknown_calling_code"
  /// The region is not a code of two letters, or has no telephone numbers.
  case badRegion = "bad_region"
  case badDate = "bad_date"
  /// The date is more than a day after the import's.
  case dateInFuture = "date_in_future"
  /// The date is before 2000.
  case dateTooOld = "date_too_old"
  /// The date is in a month whose reports were dropped, so it is unknown whether the row was counted before.
  case dateBeforeRetention = "date_before_retention"
  case unknownCategory = "unknown_category"
  /// The line is not a JSON object.
  case badJSON = "bad_json"
  case missingField = "missing_field"
  /// A field has the wrong type, or holds a NUL character.
  case badField = "bad_field"
  /// The row and the header have different numbers of columns.
  case wrongColumns = "wrong_columns"
  /// A quoted field does not end, or text follows its closing quote.
  case badQuote = "bad_quote"
  /// The line, or the row with its quoted line ends, is longer than the limit.
  case lineTooLong = "line_too_long"
  /// The report's id is not a UUID.
  case badReportID = "bad_report_id"
  case commentTooLong = "comment_too_long"
  /// The reporter's pseudonym is blank or longer than its limit.
  case badReporter = "bad_reporter"
  /// The row has `reporter_since` or `client_address`, which only the server of an app sends, with `POST /v1/reports`.
  case serverField = "server_field"

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension RejectReason {
  init(_ error: PhoneNumberError) {
    self =
      switch error {
      case .empty: .emptyNumber
      case .notANumber: .notANumber
      case .tooShort: .tooShort
      case .tooLong: .tooLong
      case .notValid: .notValid
      case .shortOrEmergency: .shortOrEmergency
      case .unknownRegion: .badRegion
      case .needsRegion: .needsRegion
      case .unknownCallingCode: .unknownCallingCode
      case .placeholder: .placeholder
      case .mask: .mask
      case .severalNumbers: .severalNumbers
      case .decimal: .decimal
      }
  }
}
