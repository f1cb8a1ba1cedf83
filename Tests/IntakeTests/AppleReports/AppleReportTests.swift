// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PhoneNumbers
import Testing

@testable import Intake

@Suite struct AppleReportTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)

  @Test(
    arguments: [
      (.text("+33199000248"), nil, true), (.text("+33 1 99 00 02 48"), nil, true), (.text("0033199000248"), nil, true),
      (.text("33199000248"), nil, false), (.text("(201) 555-0123"), nil, false), (.integer(33_199_000_248), nil, true),
      (.text("0199000248"), "FR", true),
      (.text("33199000248"), "US", true), (.text("0199000248"), nil, false), (.text("33700"), nil, false),
      (.text("My bank"), nil, false), (.text("1-800-FLOWERS"), "US", false), (.text("a@b.example"), nil, false),
      (.text(""), nil, false), (.integer(-1), nil, false), (.truth(true), nil, false), (.other, nil, false),
      (nil, nil, false),
    ] as [(AppleValue?, String?, Bool)])
  func `a number is read in the forms that phones have`(value: AppleValue?, region: String?, isRead: Bool) {
    #expect(AppleFieldMap.number(value, region: region)?.e164 == (isRead ? "+33199000248" : nil))
  }

  @Test func `the sender of a message has no plus`() {
    #expect(AppleFieldMap.number(.text("33199000248"), region: nil, takesPlain: true)?.e164 == "+33199000248")
  }

  @Test(
    arguments: [
      (["category": .text("fraud")], "fraud"), (["category": .text("fraud"), "action": .text("junk")], "fraud"),
      (["category": .text("fraud"), "action": .text("none")], nil), (["action": .text("reportJunk")], "other"),
      (["action": .text("not_junk")], "legitimate"), (["action": .text("reportJunkAndBlockSender")], "other"),
      (["category": .text("legitimate")], "legitimate"), (["category": .text("unknown")], nil),
      (["category": .integer(1)], nil), ([:], nil),
    ] as [([String: AppleValue], String?)])
  func `category and action decide what is reported`(values: [String: AppleValue], slug: String?) throws {
    let values = values.merging(["number": .text("+33199000248")]) { $1 }
    let report = try? AppleReport(values, by: .standard, at: now)
    #expect(report?.category.slug == slug)
  }

  @Test func `an app's own names are mapped`() throws {
    let map = AppleFieldMap(
      number: "sender", category: "type", categories: ["deny": "other", "allow": "legitimate"])
    let settings = AppleReportSettings(maps: [map])
    let values: [String: AppleValue] = ["sender": .text("+33199000248"), "type": .text("allow"), "bodies": .other]
    #expect(settings.map(of: values) == map)
    #expect(try AppleReport(values, by: map, at: now).category == .legitimate)
    let saracroche: [String: AppleValue] = ["phoneNumber": .text("+33199000248"), "is_good": .truth(false)]
    #expect(settings.map(of: saracroche) == .saracroche)
    #expect(try AppleReport(saracroche, by: .saracroche, at: now).category == .other)
    #expect(settings.map(of: ["text": .text("+33199000248")]) == nil)
    for (value, category) in [
      (.truth(true), .legitimate), (.integer(1), .legitimate), (.text("Yes"), .legitimate),
      (.text("true"), .legitimate), (.integer(0), .other), (.text("false"), .other), (.null, .other),
      (.text("perhaps"), nil), (.integer(7), nil), (.other, nil),
    ] as [(AppleValue, ReportCategory?)] {
      let report = try? AppleReport(
        ["phoneNumber": .text("+33199000248"), "is_good": value], by: .saracroche, at: now)
      #expect(report?.category == category, "\(value)")
    }
  }

  @Test func `the id of a report without one follows from its content and day`() throws {
    func id(_ values: [String: AppleValue] = [:], reporter: String = "a", at time: Date) throws -> String {
      let values = ["number": .text("+33199000248"), "category": .text("fraud")].merging(values) { $1 }
      return try AppleReport(values, by: .standard, at: time).report(by: reporter, appID: 1)
        .reportID.uuidString.lowercased()
    }
    let first = try id(at: now)
    #expect(try id(at: now + 60) == first)
    #expect(try id(at: now + 86_400) != first)
    #expect(try id(reporter: "b", at: now) != first)
    #expect(try id(["category": .text("legitimate")], at: now) != first)
    let given = "4f3b1c1e-7a52-4c0a-9a63-0d1e6d3c5b10"
    #expect(try id(["report_id": .text(given.uppercased())], at: now) == given)
  }

  @Test func `members of other types are dropped`() throws {
    let json = #"{"a":"text","b":1,"c":true,"d":1.5,"e":null,"f":["text"],"g":{"text":"text"}}"#
    let values = try JSONDecoder().decode([String: AppleValue].self, from: Data(json.utf8))
    #expect(values["a"] == .text("text") && values["b"] == .integer(1) && values["c"] == .truth(true))
    #expect(["d", "f", "g"].allSatisfy { values[$0] == .other } && (values["e"] == .null || values["e"] == nil))
  }
}
