// SPDX-License-Identifier: Apache-2.0

import Foundation
import Intake
import Testing

@testable import API

/// A plain report has the same meaning as for the decoder, after any change of its text.
@Suite struct PlainReportTests {
  private static let fields = [
    ("number", "+33199000248"), ("region", "FR"), ("category", "fraud"), ("reporter", "Zoë 👩‍🚀"),
    ("report_id", "0f0e0d0c-0b0a-4908-8706-050403020100"), ("reported_at", "2026-11-21T12:00:00Z"),
    ("comment", "On m’a dit : « votre colis » — naïve"),
  ]

  private static func read(_ text: [UInt8]) -> ReportSubmission? { text.withUnsafeBytes(PlainReport.read) }

  private static func decode(_ text: [UInt8]) -> ReportSubmission? {
    (try? JSONDecoder().decode(ReportBody.self, from: Data(text)))?.submission
  }

  private static func json(_ fields: [(String, String)], space: String = "") -> [UInt8] {
    let members = fields.map { "\(space)\"\($0)\"\(space):\(space)\"\($1)\"\(space)" }
    return Array("\(space){\(members.joined(separator: ","))}\(space)".utf8)
  }

  @Test(arguments: ["", " ", "\n\t", "\r\n  "]) func `parses every plain report`(space: String) {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      let text = Self.json(Self.fields.shuffled(using: &random), space: space)
      let submission = Self.read(text)
      #expect(submission != nil)
      #expect(submission == Self.decode(text))
    }
    let required = Self.fields.filter { !["region", "comment"].contains($0.0) }
    #expect(Self.read(Self.json(required)) == Self.decode(Self.json(required)))
    #expect(Self.read(Self.json(required))?.comment == nil)
  }

  @Test(
    arguments: [
      #"{}"#, #"[]"#, #""#, #"{"number":"1"}"#, #"null"#, #"{"number":1}"#,
      #"{"number":"1","category":"a","reporter":"b","report_id":"c","reported_at":"d",}"#,
      #"{"number":"1","category":"a","reporter":"b","report_id":"c","reported_at":"d"}}"#,
      #"{"number":"1","category":"a","reporter":"b","report_id":"c","reported_at":"d","number":"2"}"#,
      #"{"number":"1","category":"a","reporter":"b","report_id":"c","reported_at":"d","more":"2"}"#,
      #"{"number":"1","category":"a","reporter":"b","report_id":"c","reported_at":"\u0064"}"#,
      #"{"number":"1","category":"a","reporter":"b","report_id":null,"reported_at":"d"}"#,
    ])
  func `leaves other reports to the decoder`(text: String) {
    #expect(Self.read(Array(text.utf8)) == nil)
  }

  /// Changes, removes and inserts a few bytes: a text that is still read gives the decoder's result.
  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func `accepts only reports that the decoder accepts with the same result`(
    seed: UInt64
  ) {
    var random = Xorshift(state: seed &* 0x9E37_79B9_7F4A_7C15)
    let alphabet = Array("{}[]\",:\\ \n\t0aZé\u{0}\u{7F}\u{1F}nul/".utf8) + [0xFF, 0xC0, 0xED, 0xA0, 0x80]
    var plain = 0
    for _ in 0..<5_000 {
      var text = Self.json(Self.fields.shuffled(using: &random))
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        let place = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: text[place] = alphabet.randomElement(using: &random)!
        case 1: text.remove(at: place)
        default: text.insert(alphabet.randomElement(using: &random)!, at: place)
        }
      }
      guard let submission = Self.read(text) else { continue }
      plain += 1
      #expect(submission == Self.decode(text), "\(String(decoding: text, as: UTF8.self))")
    }
    #expect(plain > 500)
  }
}

/// Marsaglia's xorshift64.
private struct Xorshift: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
