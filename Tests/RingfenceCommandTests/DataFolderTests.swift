// SPDX-License-Identifier: Apache-2.0

import Foundation
import Intake
import TestSupport
import Testing

@testable import RingfenceCommand

@Suite struct DataFolderTests {
  private static func folder(_ path: String, _ environment: [String: String] = [:]) throws -> DataFolder {
    try DataFolder(Settings(["data": path], environment: environment))
  }

  @Test func `a secret is created once and readable by its owner only`() async throws {
    try await withTemporaryFolder { path in
      let folder = try Self.folder("\(path)/new")
      #expect(try folder.secret("one.key") { "first" } == "first")
      #expect(try folder.secret("one.key") { "second" } == "first")
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/new/one.key")
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let own = try FileManager.default.attributesOfItem(atPath: "\(path)/new")
      #expect(own[.posixPermissions] as? Int == 0o700)
    }
  }

  @Test func `a secret that cannot be read is not replaced`() async throws {
    try await withTemporaryFolder { path in
      // Even root cannot read a folder as a file.
      try FileManager.default.createDirectory(atPath: "\(path)/one.key", withIntermediateDirectories: false)
      let folder = try Self.folder(path)
      #expect(throws: CommandFailure.self) { try folder.secret("one.key") { "another" } }
      #expect(throws: CommandFailure.self) { try folder.storedSecret("one.key") }
    }
  }

  @Test func `the second writer of a secret gets the first value`() async throws {
    try await withTemporaryFolder { path in
      let folder = try Self.folder(path)
      let got = try folder.secret("one.key") {
        _ = try folder.secret("one.key") { "first" }
        return "second"
      }
      #expect(got == "first")
      try folder.replaceSecret("one.key", with: "third")
      #expect(try folder.storedSecret("one.key") == "third")
      #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["one.key"])
    }
  }

  @Test func `the pseudonym key stays the same`() async throws {
    try await withTemporaryFolder { path in
      let first = try Self.folder(path).pseudonymizer()
      let second = try Self.folder(path).pseudonymizer()
      #expect(first.pseudonym(of: "a", appID: 1) == second.pseudonym(of: "a", appID: 1))
      let given = ["RINGFENCE_PSEUDONYM_KEY": String(repeating: "0f", count: 32)]
      let third = try Self.folder(path, given).pseudonymizer()
      #expect(first.pseudonym(of: "a", appID: 1) != third.pseudonym(of: "a", appID: 1))
    }
  }

  @Test(arguments: ["0f", String(repeating: "zz", count: 32), String(repeating: "0f", count: 33)])
  func `a damaged key is named in the error and not replaced`(_ text: String) async throws {
    try await withTemporaryFolder { path in
      let folder = try Self.folder(path)
      #expect(throws: CommandFailure.self) {
        try Self.folder(path, ["RINGFENCE_PSEUDONYM_KEY": text]).pseudonymizer()
      }
      try Data(text.utf8).write(to: URL(filePath: "\(path)/pseudonym.key"))
      #expect(throws: CommandFailure.self) { try folder.pseudonymizer() }
      #expect(FileManager.default.contents(atPath: "\(path)/pseudonym.key") == Data(text.utf8))
    }
  }

  @Test func `the installation is found by the environment variable`() throws {
    let found = try Installation.find(Settings(environment: ["RINGFENCE_HOME": Checkout.root]))
    #expect(FileManager.default.fileExists(atPath: found.migrations))
    #expect(throws: CommandFailure.self) {
      try Installation.find(Settings(environment: ["RINGFENCE_HOME": "/nowhere"]))
    }
  }
}
