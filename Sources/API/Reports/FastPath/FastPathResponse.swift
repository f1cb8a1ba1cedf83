// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import NIOCore
import NIOHTTP1
import PhoneNumbers
import Storage
import Synchronization
import ServerSupport

/// An answer made on an event loop, with the headers that Hummingbird and the middleware add to other answers.
struct FastPathResponse {
  let status: HTTPResponseStatus
  /// The headers of this answer, `Content-Type` first.
  private let fields: [(String, String)]
  let body: ByteBuffer
  /// The value of ``DateHeader``.
  private let date: String

  /// The answer for a report that is on disk.
  /// - Parameters:
  ///   - isNew: false for a duplicate.
  ///   - limits: the rate limit headers.
  ///   - id: of the request.
  init(
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

  init(_ problem: Problem, date: String, id: RequestID) {
    status = HTTPResponseStatus(statusCode: problem.status)
    fields = Self.pairs(problem.fields) + [(Self.idField, id.text)]
    body = problem.body
    self.date = date
  }

  /// The head alone, for an answer written in parts.
  var head: HTTPResponseHead {
    let last = [("Content-Length", String(body.readableBytes)), ("Date", date)]
    return HTTPResponseHead(version: .http1_1, status: status, headers: HTTPHeaders(fields + last + Self.always))
  }

  func bytes(_ allocator: ByteBufferAllocator) -> ByteBuffer {
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
  /// The header lines and the empty line after them.
  private static let alwaysBytes = Array((always.map { "\($0): \($1)\r\n" }.joined() + "\r\n").utf8)

  private static func pairs(_ fields: HTTPFields) -> [(String, String)] {
    fields.map { ($0.name.rawName, $0.value) }
  }

  /// Writes the id in lower case.
  private static func write(_ id: UUID, to body: inout ByteBuffer) {
    withUnsafeBytes(of: id.uuid) { bytes in
      _ = body.writeWithUnsafeMutableBytes(minimumWritableBytes: 36) { target in
        var place = 0
        for (index, byte) in bytes.enumerated() {
          if index == 4 || index == 6 || index == 8 || index == 10 {
            target[place] = UInt8(ascii: "-")
            place += 1
          }
          target[place] = Hexadecimal.digit(byte >> 4)
          target[place + 1] = Hexadecimal.digit(byte & 0xF)
          place += 2
        }
        return place
      }
    }
  }
}

/// The value of the `Date` header, formatted at most once a second.
struct DateHeader {
  private var second = 0
  private var text = ""

  /// The current time in the format of ``HTTPDate``.
  mutating func now() -> String {
    let now = time(nil)
    if now != second { (second, text) = (now, HTTPDate.format(Date(timeIntervalSince1970: TimeInterval(now)))) }
    return text
  }
}

/// Carries answers from the intake to the connections of an event loop. It wakes the loop once for a commit, whatever
/// the count of answers.
final class ResponseMailbox: Sendable {
  private struct Letter {
    let connection: NIOLoopBound<ReportFastPathHandler>
    let answer: Result<ReportOutcome, any Error>
  }

  private let loop: any EventLoop
  private let letters = Mutex<[Letter]>([])

  init(loop: any EventLoop) {
    self.loop = loop
  }

  /// Callable from any thread.
  func post(_ answer: Result<ReportOutcome, any Error>, to connection: NIOLoopBound<ReportFastPathHandler>) {
    let isFirst = letters.withLock { letters in
      letters.append(Letter(connection: connection, answer: answer))
      return letters.count == 1
    }
    if isFirst { loop.execute { self.deliver() } }
  }

  private func deliver() {
    let letters = letters.withLock { letters in
      defer { letters = [] }
      return letters
    }
    for letter in letters { letter.connection.value.answered(letter.answer) }
  }
}
