package import HTTPServer
import Foundation
package import HTTPTypes
package import NIOCore
package import NIOHTTP1
import PhoneNumbers
package import Telemetry

/// An answer that is made on an event loop, with what Hummingbird and our middleware add to others.
package struct FastPathResponse {
  package let status: HTTPResponseStatus
  /// What is this answer's own, `Content-Type` first.
  private let fields: [(String, String)]
  package let body: ByteBuffer
  /// As ``DateHeader`` has it.
  private let date: String

  /// That a report is on disk.
  /// - Parameters:
  ///   - isNew: whether it was not there before.
  ///   - limits: what is left of the limits.
  ///   - id: of the request.
  package init(
    taken report: ReportFastPath.Pending, isNew: Bool, limits: HTTPFields, date: String, id: RequestID,
    allocator: ByteBufferAllocator
  ) {
    var body = allocator.buffer(capacity: 112)
    body.writeStaticString("{\"number\":\"+")
    body.writeString(String(report.number))
    body.writeStaticString("\",\"report_id\":\"")
    Self.write(report.reportID, to: &body)
    body.writeStaticString(isNew ? "\",\"status\":\"created\"}" : "\",\"status\":\"duplicate\"}")
    status = isNew ? .created : .ok
    fields = [("Content-Type", JSON.contentType)] + Self.pairs(limits) + [(Self.idField, id.text)]
    self.body = body
    self.date = date
  }

  /// That it is not, and why.
  package init(_ problem: Problem, date: String, id: RequestID) {
    status = HTTPResponseStatus(statusCode: problem.status)
    fields = Self.pairs(problem.fields) + [(Self.idField, id.text)]
    body = problem.body
    self.date = date
  }

  /// The head, to be written in parts.
  package var head: HTTPResponseHead {
    let last = [("Content-Length", String(body.readableBytes)), ("Date", date)]
    return HTTPResponseHead(version: .http1_1, status: status, headers: HTTPHeaders(fields + last + Self.always))
  }

  /// The whole answer.
  package func bytes(_ allocator: ByteBufferAllocator) -> ByteBuffer {
    var buffer = allocator.buffer(capacity: 1_024)
    func write(_ name: String, _ value: String) {
      buffer.writeString(name)
      buffer.writeStaticString(": ")
      buffer.writeString(value)
      buffer.writeStaticString("\r\n")
    }
    buffer.writeStaticString("HTTP/1.1 ")
    buffer.writeString(String(status.code))
    buffer.writeStaticString(" ")
    buffer.writeString(status.reasonPhrase)
    buffer.writeStaticString("\r\n")
    for (name, value) in fields { write(name, value) }
    write("Content-Length", String(body.readableBytes))
    write("Date", date)
    buffer.writeBytes(Self.alwaysBytes)
    buffer.writeImmutableBuffer(body)
    return buffer
  }

  private static let idField = ObservationMiddleware.field.rawName
  private static let always = pairs(SecurityHeadersMiddleware.fields) + [("Server", ServerName.text)]
  /// With the empty line behind them.
  private static let alwaysBytes = Array((always.map { "\($0): \($1)\r\n" }.joined() + "\r\n").utf8)

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
