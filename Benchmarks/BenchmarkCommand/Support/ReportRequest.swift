// SPDX-License-Identifier: Apache-2.0

import Curation
import Support

/// The bytes of a `POST /v1/reports`, made once and filled in for each request.
///
/// Every field has a fixed width, so that length and offsets never change; a shorter category is padded with spaces.
struct ReportRequest {
  /// The bytes of the complete request.
  private(set) var bytes: [UInt8]

  private let firstReport: Int
  private let batch: Int

  private static let pattern = """
    {"number":"+###########","category":#################,"reporter":"device-#######",\
    "report_id":"########-####-4###-a###-############","reported_at":"####-##-##T##:##:##Z"}
    """
  private static let categories = ReportCategory.allCases.map { category in
    let quoted = "\"\(category.slug)\""
    return Array((quoted + String(repeating: " ", count: 17 - quoted.utf8.count)).utf8)
  }
  private static let number = offset(of: "+###") + 1
  private static let category = offset(of: "category") + 10
  private static let reporter = offset(of: "device-") + 7
  private static let identity = offset(of: "report_id") + 12
  private static let time = offset(of: "reported_at") + 14

  init(plan: LoadPlan) {
    batch = plan.batch
    let reports = Array(repeating: Self.pattern, count: batch).joined(separator: ",")
    let body = batch == 1 ? reports : "[\(reports)]"
    let head = """
      POST /v1/reports HTTP/1.1\r
      Host: \(plan.target.authority)\r
      Authorization: Bearer \(plan.key)\r
      Content-Type: application/json\r
      Content-Length: \(body.utf8.count)\r
      \r

      """
    bytes = Array(head.utf8) + Array(body.utf8)
    firstReport = head.utf8.count + (batch == 1 ? 0 : 1)
  }

  /// Replaces the reports by new ones.
  /// - Parameter time: RFC 3339, 20 bytes.
  mutating func fill(from generator: inout ReportGenerator, time: [UInt8]) {
    bytes.withUnsafeMutableBytes { bytes in
      for index in 0..<batch {
        let start = firstReport + index * (Self.pattern.utf8.count + 1)
        let report = generator.next()
        Self.write(Int(report.number), width: 11, to: bytes, at: start + Self.number)
        bytes.copy(Self.categories[Int(report.category.rawValue) - 1], at: start + Self.category)
        Self.write(report.reporter, width: 7, to: bytes, at: start + Self.reporter)
        Self.write(report.identity, to: bytes, at: start + Self.identity)
        bytes.copy(time, at: start + Self.time)
      }
    }
  }

  private static func write(_ value: Int, width: Int, to bytes: UnsafeMutableRawBufferPointer, at place: Int) {
    var rest = value
    for index in stride(from: place + width - 1, through: place, by: -1) {
      bytes[index] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
  }

  /// Writes hex digits between the hyphens, the version and the variant, which the pattern has.
  private static func write(_ halves: (UInt64, UInt64), to bytes: UnsafeMutableRawBufferPointer, at place: Int) {
    var (bits, next) = halves
    for index in 0..<36 {
      switch index {
      case 8, 13, 14, 18, 19, 23: continue
      default: break
      }
      let digit = UInt8(bits & 0xf)
      bytes[place + index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      bits >>= 4
      if index == 17 { swap(&bits, &next) }
    }
  }

  private static func offset(of text: String) -> Int {
    pattern.utf8.distance(from: pattern.startIndex, to: pattern.firstRange(of: text)!.lowerBound)
  }
}

extension UnsafeMutableRawBufferPointer {
  fileprivate func copy(_ source: [UInt8], at place: Int) {
    UnsafeMutableRawBufferPointer(rebasing: self[place..<place + source.count]).copyBytes(from: source)
  }
}
