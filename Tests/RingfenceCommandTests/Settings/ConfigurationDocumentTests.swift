// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RingfenceCommand

/// Documentation/configuration.md contains the table of ``SettingList``. RINGFENCE_WRITE_DOCUMENTATION=1 writes it.
@Suite struct ConfigurationDocumentTests {
  private static let path = "\(Checkout.root)/Documentation/configuration.md"

  private var table: String {
    let head = ["setting", "default", "environment variable", "option", "meaning"]
    let rows = SettingList.descriptions.map { setting in
      [
        code(setting.key), setting.standard, setting.variables.values.sorted().map(code).joined(separator: ", "),
        option(setting), meaning(setting),
      ]
    }
    let lines = [head, head.map { _ in "---" }] + rows
    return lines.map { "| \($0.joined(separator: " | ")) |\n" }.joined()
  }

  private func option(_ setting: SettingDescription) -> String {
    guard setting.hasOption else { return "" }
    let isFlag = setting.rule == SettingRule<Bool>.boolean.text
    return code("--\(setting.name)") + (isFlag ? ", \(code("--no-\(setting.name)"))" : "")
  }

  private func meaning(_ setting: SettingDescription) -> String {
    let isObvious = [SettingRule<Bool>.boolean.text, SettingRule<String>.text.text].contains(setting.rule)
    let rule = isObvious ? "" : " It must be \(setting.rule)."
    return "\(setting.isSecret ? "Secret. " : "")\(setting.meaning)\(rule)"
  }

  private func code(_ text: String) -> String { "`\(text)`" }

  @Test func `the configuration table in the documentation matches the code`() throws {
    let text = try String(contentsOfFile: Self.path, encoding: .utf8)
    let before = text.prefix(upTo: text.range(of: "| setting |")?.lowerBound ?? text.endIndex)
    let wanted = before + table
    if ProcessInfo.processInfo.environment["RINGFENCE_WRITE_DOCUMENTATION"] != nil {
      try Data(wanted.utf8).write(to: URL(filePath: Self.path))
    }
    #expect(text == wanted, "Run this test with RINGFENCE_WRITE_DOCUMENTATION=1, which writes the table.")
  }

  @Test func `setting names are unique`() {
    let keys = SettingList.descriptions.flatMap(\.variables)
    #expect(Set(keys.map(\.key)).count == keys.count && Set(keys.map(\.value)).count == keys.count)
    #expect(keys.count > 40)
  }
}
