import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import PhoneNumbers

/// Heads and bodies of answers that are made on an event loop, with what Hummingbird and our middleware add to others.
struct ShortcutAnswer {
  let head: HTTPResponseHead
  let body: ByteBuffer

  /// - Parameters:
  ///   - fields: of this answer, its `Content-Type` first.
  ///   - date: as ``DateHeader`` has it.
  init(status: HTTPResponseStatus, fields: [(String, String)], body: ByteBuffer, date: String) {
    var all: [(String, String)] = []
    all.reserveCapacity(fields.count + Self.always.count + 2)
    // As Hummingbird orders them.
    all.append(fields[0])
    all.append(("Content-Length", String(body.readableBytes)))
    all.append(contentsOf: fields.dropFirst())
    all.append(contentsOf: Self.always)
    all.append(("Date", date))
    all.append(("Server", serverName))
    head = HTTPResponseHead(version: .http1_1, status: status, headers: HTTPHeaders(all))
    self.body = body
  }

  /// That a report is on disk.
  /// - Parameters:
  ///   - isNew: whether it was not there before.
  ///   - limits: what is left of the limits.
  init(
    taken report: ReportShortcut.Pending, isNew: Bool, limits: HTTPFields, date: String,
    allocator: ByteBufferAllocator
  ) {
    var body = allocator.buffer(capacity: 112)
    body.writeStaticString("{\"number\":\"+")
    body.writeString(String(report.number))
    body.writeStaticString("\",\"report_id\":\"")
    Self.write(report.reportID, to: &body)
    body.writeStaticString(isNew ? "\",\"status\":\"created\"}" : "\",\"status\":\"duplicate\"}")
    self.init(
      status: isNew ? .created : .ok, fields: [("Content-Type", JSON.contentType)] + Self.pairs(limits), body: body,
      date: date)
  }

  /// That it is not, and why.
  init(_ problem: Problem, date: String) {
    self.init(
      status: HTTPResponseStatus(statusCode: problem.status), fields: Self.pairs(problem.fields), body: problem.body,
      date: date)
  }

  private static let always = pairs(SecurityHeadersMiddleware.fields)

  private static func pairs(_ fields: HTTPFields) -> [(String, String)] {
    fields.map { ($0.name.rawName, $0.value) }
  }

  /// In lower case.
  private static func write(_ id: UUID, to body: inout ByteBuffer) {
    withUnsafeBytes(of: id.uuid) { bytes in
      _ = body.writeWithUnsafeMutableBytes(minimumWritableBytes: 36) { target in
        var place = 0
        for (index, byte) in bytes.enumerated() {
          if index == 4 || index == 6 || index == 8 || index == 10 {
            target[place] = UInt8(ascii: "-")
            place += 1
          }
          target[place] = digit(byte >> 4)
          target[place + 1] = digit(byte & 0xF)
          place += 2
        }
        return place
      }
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
