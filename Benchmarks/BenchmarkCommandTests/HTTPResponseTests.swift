// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BenchmarkCommand

@Suite struct HTTPResponseTests {
  private func parse(_ text: String) throws -> HTTPResponse? {
    try Array(text.utf8).withUnsafeBytes { try HTTPResponse.parse($0) }
  }

  @Test func `parses a response only when it is complete`() throws {
    let head = "HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\ncontent-LENGTH: 5\r\n\r\n"
    let whole = head + "hello"
    for length in 0..<whole.count { #expect(try parse(String(whole.prefix(length))) == nil) }
    let length = head.utf8.count
    #expect(try parse(whole) == HTTPResponse(status: 201, body: length..<length + 5, closes: false))
    // The following bytes belong to the next response.
    #expect(try parse(whole + "HTTP/1.1 200")?.body.upperBound == length + 5)
  }

  @Test func `parses whether the connection closes and an empty response`() throws {
    let last = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    #expect(try parse(last)?.closes == true)
    #expect(try parse("HTTP/1.1 204 No Content\r\n\r\n")?.status == 204)
  }

  @Test(arguments: [
    "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 20x OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\n", "SSH-2.0-x\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
  ])
  func `refuses a malformed response`(text: String) {
    #expect(throws: HTTPResponse.Malformed.self) { try parse(text) }
  }

  @Test func `counts occurrences of a text in a response`() {
    func count(_ text: String) -> Int {
      Array(text.utf8).withUnsafeBytes { HTTPResponse.count(of: "\"created\"", in: $0) }
    }
    #expect(count("") == 0)
    #expect(count("\"created") == 0)
    #expect(count("[\"created\",\"duplicate\",\"\"created\"\"created\"") == 3)
  }
}
