// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Intake
import NIOHTTP1

/// Reads the JSON of one report in its common form: known fields, each once, all required ones, and strings without
/// escapes.
///
/// It refuses nothing: for every other form the result is nil, and ``ReportBody`` reads the body or names its error. Both
/// read the common form alike.
struct PlainReport {
  private enum Field: Int {
    case number, region, category, reporter, reportID, reportedAt, comment, verification
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
    case .verification: submission.verification = text
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
    case 12: return name.elementsEqual("verification".utf8) ? .verification : nil
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

/// The fields of a request's head that the fast path uses. Nil for every request that the fast path does not take.
struct PlainRequest {
  /// The key in `Authorization: Bearer KEY`.
  let key: String
  /// `X-Forwarded-For`
  let forwarded: String?
  /// `X-Request-Id`
  let id: String?

  init?(_ head: HTTPRequestHead) {
    guard head.method == .POST, head.version == .http1_1, head.uri == "/v1/reports" else { return nil }
    var (authorization, forwarded, id): (String?, String?, String?)
    var (types, hosts) = (0, 0)
    for (name, value) in head.headers {
      switch Known(name) {
      case .other: continue
      case .special: return nil
      case .host:
        guard HostMiddleware.isHost(value) else { return nil }
        hosts += 1
      case .connection:
        guard value.utf8.isSame(as: "keep-alive") else { return nil }
      case .contentType:
        let type = value.utf8
        guard type.isSame(as: "application/json") || type.isSame(as: "application/json; charset=utf-8") else {
          return nil
        }
        types += 1
      case .accept:
        guard value.utf8.isSame(as: "*/*") || value.utf8.isSame(as: "application/json") else { return nil }
      case .authorization:
        guard authorization == nil else { return nil }
        authorization = value
      case .forwarded:
        guard forwarded == nil else { return nil }
        forwarded = value
      case .requestID:
        guard id == nil else { return nil }
        id = value
      }
    }
    guard hosts == 1, types == 1, let key = authorization.flatMap(BearerKey.key(ofBearer:)) else { return nil }
    self.key = key
    self.forwarded = forwarded
    self.id = id
  }

  private enum Known {
    case host, connection, contentType, accept, authorization, forwarded, requestID
    /// A field that changes the meaning of a request.
    case special
    case other

    init(_ name: String) {
      let name = name.utf8
      switch name.count {
      case 4 where name.isSame(as: "host"): self = .host
      case 6 where name.isSame(as: "accept"): self = .accept
      case 6 where name.isSame(as: "expect"): self = .special
      case 7 where name.isSame(as: "upgrade"): self = .special
      case 10 where name.isSame(as: "connection"): self = .connection
      case 12 where name.isSame(as: "content-type"): self = .contentType
      case 12 where name.isSame(as: "x-request-id"): self = .requestID
      case 13 where name.isSame(as: "authorization"): self = .authorization
      case 14 where name.isSame(as: "sec-fetch-site"): self = .special
      case 15 where name.isSame(as: "idempotency-key"): self = .special
      case 15 where name.isSame(as: "x-forwarded-for"): self = .forwarded
      case 16 where name.isSame(as: "content-encoding"): self = .special
      case 17 where name.isSame(as: "transfer-encoding"): self = .special
      // The token of an installation is in the database.
      case 22 where name.isSame(as: "ringfence-installation"): self = .special
      default: self = .other
      }
    }
  }
}

extension String.UTF8View {
  /// Whether these bytes equal a lower-case text, ignoring the case of ASCII letters.
  fileprivate func isSame(as text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    var place = 0
    for byte in self {
      let isUpper = byte &- UInt8(ascii: "A") < 26
      guard (isUpper ? byte | 0x20 : byte) == text.utf8Start[place] else { return false }
      place += 1
    }
    return true
  }
}
