// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Requests on one plain connection, and the responses as received.
struct Exchange: Sendable {
  struct Answer: Sendable {
    let status: Int
    /// By lower-case name.
    let fields: [String: String]
    let body: String
  }

  struct Malformed: Error {
    let text: String
  }

  /// Sends requests one after another, each after the response to the previous one, the last with `Connection: close`.
  /// A response with a wrong length would break the next one.
  static func run(
    port: Int, _ requests: [(method: String, path: String, fields: [String: String])]
  ) async throws -> [Answer] {
    try await raw {
      let connection = try RawConnection(port: port)
      var rest = Substring()
      return try requests.indices.map { index in
        let request = requests[index]
        let isLast = index == requests.count - 1
        var fields = request.fields
        fields["Host"] = "localhost"
        if isLast { fields["Connection"] = "close" }
        let lines = fields.map { "\($0): \($1)\r\n" }.joined()
        connection.send("\(request.method) \(request.path) HTTP/1.1\r\n\(lines)\r\n")
        let answer = try answer(to: request.method, on: connection, &rest)
        if isLast {
          let more = try connection.readToEnd()
          guard rest.isEmpty, more.isEmpty else { throw Malformed(text: "\(rest)\(more)") }
        }
        return answer
      }
    }
  }

  private static func answer(to method: String, on connection: RawConnection, _ rest: inout Substring) throws -> Answer
  {
    func more() throws {
      let bytes = try connection.receive(atMost: 1 << 16)
      guard !bytes.isEmpty else { throw Malformed(text: String(rest)) }
      rest += String(decoding: bytes, as: UTF8.self)
    }
    while !rest.utf8.contains("\r\n\r\n".utf8) { try more() }
    let lines = rest.prefix(upTo: rest.firstRange(of: "\r\n\r\n")!.lowerBound).split(separator: "\r\n")
    rest = rest.suffix(from: rest.firstRange(of: "\r\n\r\n")!.upperBound)
    guard let status = Int(lines[0].split(separator: " ")[1]) else { throw Malformed(text: String(lines[0])) }
    let fields = Dictionary(
      lines.dropFirst().map { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        return (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces))
      }, uniquingKeysWith: { "\($0), \($1)" })
    var body = ""
    if method != "HEAD", status != 304 {
      guard let length = fields["content-length"].flatMap({ Int($0) }) else { throw Malformed(text: "no length") }
      while rest.utf8.count < length { try more() }
      body = String(Substring(rest.utf8.prefix(length)))
      rest = Substring(rest.utf8.dropFirst(length))
    }
    return Answer(status: status, fields: fields, body: body)
  }
}
