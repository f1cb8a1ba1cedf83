// SPDX-License-Identifier: Apache-2.0

import Foundation
import Intake
import Testing

@testable import RingfenceCommand

@Suite struct AppleReportFileTests {
  @Test func `reads apps and names of members`() throws {
    let settings = try AppleReportFile.read(
      """
      classificationreport: [TEAMID1234.org.example.app]
      maps:
        - {number: sender, category: type, categories: {deny: other, allow: legitimate}, region: FR, app: Old app}
      """, file: "apple.yaml")
    var map = AppleFieldMap(number: "sender", region: "FR", category: "type", appWithoutToken: "Old app")
    map.categories = ["deny": "other", "allow": "legitimate"]
    #expect(settings == AppleReportSettings(reportingApps: ["TEAMID1234.org.example.app"], maps: [map]))
    #expect(try AppleReportFile.read("", file: "apple.yaml") == AppleReportSettings())
  }

  @Test(arguments: [
    ("apps: []", "\"apps\" is unknown"), ("maps: 1", "maps must be a list"), ("maps: [{}]", "number is missing"),
    ("classificationreport: [example]", "such as TEAMID1234.org.example.app"),
    ("maps:\n  - {number: a, default: none}", "Line 2 of apple.yaml: \"none\" is no category"),
    ("maps: [{number: a, region: XX}]", "two letters"), ("maps: [", "is not valid YAML"), ("- a", "must be a mapping"),
  ])
  func `refuses a wrong file with the reason`(text: String, reason: String) throws {
    let failure = #expect(throws: CommandFailure.self) { try AppleReportFile.read(text, file: "apple.yaml") }
    #expect(failure?.description.contains(reason) == true, "\(failure?.description ?? "")")
  }
}
