// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import Testing

@Suite struct OriginTests {
  private func origin(_ text: String) throws -> WebOrigin? { WebOrigin(try #require(URL(string: text))) }

  @Test func `all spellings of a server address are one origin`() throws {
    for same in [
      ["https://ringfence.example/v1", "HTTPS://Ringfence.Example:443", "https://ringfence.example/packs/a?b#c"],
      ["http://127.0.0.1:80/v1", "http://127.0.0.1"], ["http://[::1]:8080/v1", "http://[::1]:8080"],
    ] {
      #expect(Set(try same.map { try origin($0) }).count == 1, "\(same)")
    }
    let different = [
      "https://ringfence.example", "http://ringfence.example", "https://ringfence.example:444", "http://[::1]:443",
      "https://ringfence.example.evil.example", "https://ringfence.example.", "http://ringfence.example:443",
    ]
    #expect(Set(try different.map { try #require(try origin($0)) }).count == different.count)
    // The text of an origin is read as the same origin.
    for text in different {
      let one = try #require(try origin(text))
      #expect(try origin("\(one)/v1") == one && "\(one)" == text)
    }
  }

  @Test func `an invalid server address has no origin`() throws {
    for text in ["file:///etc", "ftp://ringfence.example", "https:///v1", "ringfence.example", "/v1"] {
      #expect(try origin(text) == nil, "\(text)")
    }
    for text in ["https://ringfence.example", "http://localhost:8080", "http://127.0.0.1", "http://[::1]"] {
      #expect(try origin(text)?.isPrivate == true)
    }
    for text in ["http://ringfence.example", "http://127.0.0.1.evil.example", "http://192.0.2.1"] {
      #expect(try origin(text)?.isPrivate == false)
    }
    #expect(["localhost", "127.0.0.1", "::1", "[::1]"].allSatisfy(WebOrigin.isLoopback))
    #expect(!["mail.example", "192.0.2.1", "[2001:db8::1]", ""].contains(where: WebOrigin.isLoopback))
  }
}
