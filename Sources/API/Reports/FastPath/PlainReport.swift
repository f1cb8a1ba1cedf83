// SPDX-License-Identifier: Apache-2.0

import Intake

/// Reads the JSON of one report in its common form: known fields, each once, all required ones, and strings without
/// escapes.
///
/// It refuses nothing: for every other form the result is nil, and ``ReportBody`` reads the body or names its error. Both
/// read the common form alike.
struct PlainReport {
  private enum Field: Int {
    case number, region, category, reporter, reportID, reportedAt, comment
  }

  private let bytes: UnsafeRawBufferPointer
  private var place = 0
  private var submission = ReportSubmission(number: "", category: "", reporter: "", reportID: "", reportedAt: "")
  private var seen = 0

  private static let required =
    1 << Field.number.rawValue | 1 << Field.category.rawValue | 1 << Field.reporter.rawValue
    | 1 << Field.reportID.rawValue | 1 << Field.reportedAt.rawValue

  /// - Parameter bytes: the complete body.
  static func read(_ bytes: UnsafeRawBufferPointer) -> ReportSubmission? {
    var reader = PlainReport(bytes: bytes)
    return reader.readObject() ? reader.submission : nil
  }

  private init(bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  private mutating func readObject() -> Bool {
    guard skip("{") else { return false }
    repeat {
      guard let field = field(), skip(":"), readValue(of: field) else { return false }
    } while skip(",")
    guard skip("}") else { return false }
    skipSpace()
    return place == bytes.count && seen & Self.required == Self.required
  }

  private mutating func readValue(of field: Field) -> Bool {
    let bit = 1 << field.rawValue
    guard seen & bit == 0, let range = stringRange(), let text = text(range) else { return false }
    seen |= bit
    switch field {
    case .number: submission.number = text
    case .region: submission.region = text
    case .category: submission.category = text
    case .reporter: submission.reporter = text
    case .reportID: submission.reportID = text
    case .reportedAt: submission.reportedAt = text
    case .comment: submission.comment = text
    }
    return true
  }

  private mutating func field() -> Field? {
    guard let range = stringRange() else { return nil }
    let name = bytes[range]
    switch range.count {
    case 6: return name.elementsEqual("number".utf8) ? .number : name.elementsEqual("region".utf8) ? .region : nil
    case 7: return name.elementsEqual("comment".utf8) ? .comment : nil
    case 8:
      return name.elementsEqual("category".utf8) ? .category : name.elementsEqual("reporter".utf8) ? .reporter : nil
    case 9: return name.elementsEqual("report_id".utf8) ? .reportID : nil
    case 11: return name.elementsEqual("reported_at".utf8) ? .reportedAt : nil
    default: return nil
    }
  }

  /// The range of a string between its quotes; nil with escapes or control characters.
  private mutating func stringRange() -> Range<Int>? {
    guard skip("\"") else { return nil }
    let start = place
    while place < bytes.count {
      let byte = bytes[place]
      if byte == UInt8(ascii: "\"") {
        place += 1
        return start..<place - 1
      }
      guard byte >= 0x20, byte != UInt8(ascii: "\\") else { return nil }
      place += 1
    }
    return nil
  }

  /// The text of the bytes; nil unless they are UTF-8.
  private func text(_ range: Range<Int>) -> String? {
    UnsafeRawBufferPointer(rebasing: bytes[range]).withMemoryRebound(to: UInt8.self) {
      String(validating: $0, as: UTF8.self)
    }
  }

  /// Skips white space and one character.
  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func skipSpace() {
    while place < bytes.count {
      switch bytes[place] {
      case 0x20, 0x09, 0x0A, 0x0D: place += 1
      default: return
      }
    }
  }
}
