// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ServerSupport
import Foundation
import ModerationSite
import Publishing
@testable import RingfenceCommand
import TestSupport
import Testing

@Suite struct SettingsTests {
  /// Settings of the environment and of a file with this text.
  private func settings(
    _ given: [String: String] = [:], environment: [String: String] = [:], file text: String? = nil
  ) async throws -> Settings {
    guard let text else { return try Settings(given, environment: environment) }
    return try await withTemporaryFolder { folder in
      let path = "\(folder)/settings.yaml"
      try Data(text.utf8).write(to: URL(filePath: path))
      return try Settings(given.merging(["config": path]) { $1 }, environment: environment)
    }
  }

  @Test func `the command line overrides the environment, the file and the default`() async throws {
    let (file, environment) = ("port: 1", ["RINGFENCE_PORT": "2"])
    #expect(try await settings().port == 8_080)
    #expect(try await settings(file: file).port == 1)
    #expect(try await settings(environment: environment, file: file).port == 2)
    #expect(try await settings(["port": "3"], environment: environment, file: file).port == 3)
    #expect(try await settings(environment: ["RINGFENCE_PORT": ""], file: file).port == 1)
  }

  @Test func `no other program gets a secret`() {
    let secrets = SettingList.descriptions.filter(\.isSecret)
    #expect(secrets.count > 5 && secrets.allSatisfy { ExternalProgram.isSecret($0.variable) })
    #expect(ExternalProgram.isSecret("RINGFENCE_OWNER_CODES") && ExternalProgram.isSecret("RINGFENCE_WEBHOOK_URL"))
    #expect(!ExternalProgram.isSecret("RINGFENCE_URL") && !ExternalProgram.isSecret("PATH"))
  }

  @Test func `parses values of every type`() async throws {
    let settings = try await settings(
      file: """
        # A comment.
        limits: false
        log-format: json
        publish-at: 03:00
        second-factor: everyone
        comment-days: 30
        webhook:
          - https://one.example/
          - https://two.example/
          - https://one.example/
        """)
    #expect(try settings.limits == false)
    #expect(try settings.logFormat == .json)
    #expect(try ServerConfiguration(settings, Installation(root: Checkout.root)).schedule?.hour == 3)
    #expect(try settings.secondFactor == .everyone)
    #expect(try settings.commentDays == 30)
    #expect(try settings.webhook?.map(\.absoluteString) == ["https://one.example/", "https://two.example/"])
    #expect(try await self.settings(file: "").webhook == nil)
  }

  @Test func `an invalid value is refused with its origin and rule`() async throws {
    let rule = "It must be a number from 0 to 65535."
    await expectFailure(code: 2, "--port is \"99999\". \(rule)") { try await settings(["port": "99999"]).port }
    await expectFailure("RINGFENCE_PORT is \"abc\". \(rule)") {
      try await settings(environment: ["RINGFENCE_PORT": "abc"]).port
    }
    await expectFailure("settings.yaml is \"\". \(rule)") { try await settings(file: "port:").port }
    await expectFailure("limits in /") { try await settings(file: "limits: maybe").limits }
    await expectFailure("It must be text or json.") { try await settings(file: "log-format: xml").logFormat }
    await expectFailure("RINGFENCE_WEBHOOK_URL is \"https://a.example/ ftp://b.example/\".") {
      try await settings(environment: ["RINGFENCE_WEBHOOK_URL": "https://a.example/ ftp://b.example/"]).webhook
    }
  }

  @Test(arguments: [
    ("data: x\nprot: 1", "Line 2 of"), ("data: x\nprot: 1", "has the key \"prot\", which is not a setting"),
    ("metrics-token: x", "Write it to a file that metrics-token-file names."),
    ("database-url: x", "has the secret database-url"), ("config: other.yaml", "\"config\", which is not a setting"),
    ("- port", "must have a line for each setting"), ("port: {a: 1}", "port must be a value or a list of values"),
    ("port: [", "is not valid YAML"), ("port: 1\nport: 2", "is not valid YAML"),
  ])
  func `a malformed configuration file is refused`(_ text: String, _ message: String) async throws {
    await expectFailure(message) { try await settings(file: text) }
  }

  @Test(arguments: FormerName.settings)
  func `the former name of a setting is refused with the new name`(_ former: String, _ new: String) async throws {
    await expectFailure("has the key \"\(former)\", which is now \"\(new)\"") {
      try await settings(file: "\(former): 1")
    }
    let variable = SettingDescription.variable(of: former)
    await expectFailure("The variable \(variable) is now \(SettingDescription.variable(of: new)).") {
      try await settings(environment: [variable: "1"])
    }
    #expect(SettingList.descriptions.contains { $0.name == new } && SettingList.variables[former] == nil)
  }

  @Test func `the former name of an option is refused with the new name`() {
    #expect(FormerName.refusal(of: ["publish", "--slack=5"]) == "The option --slack is now --tolerance.")
    #expect(
      FormerName.refusal(of: ["thresholds", "set", "--because", "x"]) == "The option --because is now --reason.")
    #expect(FormerName.refusal(of: ["sources", "set", "--reason", "x", "--", "--because"]) == nil)
  }

  @Test func `an unreadable configuration file is refused`() async throws {
    await expectFailure(code: 3, "/nowhere cannot be read") { try await settings(["config": "/nowhere"]) }
    await expectFailure(code: 3, "/nowhere cannot be read") {
      try await settings(environment: ["RINGFENCE_CONFIG": "/nowhere"])
    }
  }

  @Test func `a secret is read from the environment or from a file`() async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/token"
      try Data("a token in a file\n".utf8).write(to: URL(filePath: path))
      let file = "metrics-token-file: \(path)"
      let (direct, named) = (
        ["RINGFENCE_METRICS_TOKEN": "a token in a variable"], ["RINGFENCE_METRICS_TOKEN_FILE": path]
      )
      #expect(try await settings().metricsToken == nil)
      #expect(try await settings(environment: direct).metricsToken == "a token in a variable")
      #expect(try await settings(environment: named).metricsToken == "a token in a file")
      #expect(try await settings(file: file).metricsToken == "a token in a file")
      #expect(try await settings(environment: direct, file: file).metricsToken == "a token in a variable")
      let token = SettingList.all.metricsToken.description
      #expect(try await settings(environment: named).origin(of: token) == "RINGFENCE_METRICS_TOKEN_FILE")
      #expect(try await settings().origin(of: token) == nil)
      await expectFailure("RINGFENCE_METRICS_TOKEN and RINGFENCE_METRICS_TOKEN_FILE are both set.") {
        try await settings(environment: direct.merging(named) { $1 }).metricsToken
      }
      await expectFailure(code: 3, "Cannot read the file \(folder)/none that RINGFENCE_METRICS_TOKEN_FILE names.") {
        try await settings(environment: ["RINGFENCE_METRICS_TOKEN_FILE": "\(folder)/none"]).metricsToken
      }
    }
  }

  @Test func `an error does not show a secret`() async throws {
    let failure = await #expect(throws: CommandFailure.self) {
      try await settings(environment: ["RINGFENCE_METRICS_TOKEN": "short"]).metricsToken
    }
    #expect(failure?.description.hasPrefix("RINGFENCE_METRICS_TOKEN is not valid. It must be 16 to 200") == true)
    #expect(failure?.description.contains("short") == false)
  }

  @Test func `every option of serve reaches its setting`() throws {
    let help = ServeCommand.helpMessage(columns: 10_000)
    for setting in SettingList.descriptions where setting.hasOption {
      #expect(help.contains("--\(setting.name)") && help.contains(setting.meaning), "\(setting.name)")
      if setting.rule == SettingRule<Bool>.boolean.text {
        #expect(try given("--\(setting.name)") == [setting.name: "true"])
        #expect(try given("--no-\(setting.name)") == [setting.name: "false"])
      } else {
        #expect(try given("--\(setting.name)", "x") == [setting.name: "x"])
      }
    }
  }

  private func given(_ arguments: String...) throws -> [String: String] {
    Settings.given(in: try ServeCommand.parse(arguments))
  }

  private func expectFailure<Value>(
    code: Int32 = 1, _ message: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Value
  ) async {
    let failure = await #expect(throws: CommandFailure.self, sourceLocation: sourceLocation) { _ = try await body() }
    #expect(
      failure?.description.contains(message) == true, "\(failure?.description ?? "")", sourceLocation: sourceLocation)
    #expect(failure?.exitCode == code, sourceLocation: sourceLocation)
  }
}
