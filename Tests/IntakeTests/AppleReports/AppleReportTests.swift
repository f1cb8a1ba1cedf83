// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PhoneNumbers
import Testing
import Support

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

  @Test(
    arguments: [
      // A number of the plan goes before one that it may not have yet.
      ("+15555550123", nil, 15_555_550_123, false), ("5555550123", "US", 15_555_550_123, false),
      ("33199000248", "US", 33_199_000_248, true), ("+1555", nil, nil, true),
    ] as [(String, String?, Int64?, Bool)])
  func `a number that the plan lacks`(_ text: String, _ region: String?, _ digits: Int64?, _ isAssigned: Bool) throws {
    #expect(AppleFieldMap.number(.text(text), region: region)?.digits == digits)
    guard let digits, let number = PhoneNumber(digits: digits) else { return }
    let report = CheckedReport(number, category: .fraud, reporter: "a", reportID: UUID(), reportedAt: Date())
    #expect(report.isUnassigned == !isAssigned)
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

  private func report(_ values: [String: AppleValue], by map: AppleFieldMap = .standard) throws -> AppleReport {
    try AppleReport(
      ["number": .text("+33199000248"), "category": .text("fraud")].merging(values) { $1 }, by: map, at: now)
  }

  @Test func `a time that no phone can have is replaced`() throws {
    for (seconds, isRight) in [
      (0, true), (300, true), (301, false), (60 - 366 * 86_400, true), (59 - 366 * 86_400, false),
    ] {
      let time = now + Double(seconds)
      let found = try report(["reported_at": .text(Timestamp.format(time))]).reportedAt
      #expect(found == (isRight ? time : now), "\(seconds)")
    }
    #expect(try report(["reported_at": .integer(1)]).reportedAt == now)
  }

  @Test func `texts and numbers have limits`() throws {
    #expect(AppleFieldMap.number(.integer(0), region: nil) == nil)
    let spaces = String(repeating: " ", count: 88)
    #expect(AppleFieldMap.number(.text(spaces + "+33199000248"), region: nil)?.digits == 33_199_000_248)
    #expect(AppleFieldMap.number(.text(spaces + " +33199000248"), region: nil) == nil)
    for (count, isRight) in [(200, true), (201, false)] {
      #expect((AppleValue.text(String(repeating: "a", count: count)).shortText != nil) == isRight)
    }
    #expect(AppleValue.integer(1).shortText == nil)
    for (value, isTrue) in [
      (.truth(true), true), (.truth(false), false), (.integer(1), true), (.integer(0), false), (.integer(2), nil),
      (.null, false), (.other, nil), (.text("YES"), true), (.text("0"), false), (.text(""), false), (.text("x"), nil),
    ] as [(AppleValue, Bool?)] { #expect(value.isTrue == isTrue) }
  }

  @Test func `a derived id is one of version 8 for a day, an app, a reporter and a category`() throws {
    let day = now - now.timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400)
    func id(_ seconds: Double = 0, reporter: String = "a", appID: Int32 = 1, category: String = "fraud") throws -> UUID
    {
      let time = AppleValue.text(Timestamp.format(day - 86_400 + seconds))
      return try report(["reported_at": time, "category": .text(category)]).report(by: reporter, appID: appID).reportID
    }
    let first = try id()
    #expect(try id(86_399) == first)
    for other in [try id(86_400), try id(-1), try id(reporter: "b"), try id(appID: 2), try id(category: "survey")] {
      #expect(other != first)
    }
    #expect(first.uuid.6 >> 4 == 8 && first.uuid.8 >> 6 == 2)
  }
}
