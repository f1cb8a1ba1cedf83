import Foundation
import Intake
import TestSupport
import Testing

@testable import RingfenceCommand

@Suite struct DataFolderTests {
  @Test func aSecretIsMadeOnceAndOnlyItsOwnerReadsIt() async throws {
    try await withTemporaryFolder { path in
      let folder = try DataFolder("\(path)/new")
      #expect(try folder.secret("one.key") { "first" } == "first")
      #expect(try folder.secret("one.key") { "second" } == "first")
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/new/one.key")
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func aSecretThatCannotBeReadIsNotReplaced() async throws {
    try await withTemporaryFolder { path in
      // Not even root can read a folder as a file.
      try FileManager.default.createDirectory(atPath: "\(path)/one.key", withIntermediateDirectories: false)
      let folder = try DataFolder(path)
      #expect(throws: CommandFailure.self) { try folder.secret("one.key") { "another" } }
      #expect(throws: CommandFailure.self) { try folder.storedSecret("one.key") }
    }
  }

  @Test func whoeverMakesASecretSecondGetsTheFirst() async throws {
    try await withTemporaryFolder { path in
      let folder = try DataFolder(path)
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

  @Test func thePseudonymKeyStaysTheSame() async throws {
    try await withTemporaryFolder { path in
      let first = try DataFolder(path).pseudonymizer(environment: [:])
      let second = try DataFolder(path).pseudonymizer(environment: [:])
      #expect(first.pseudonym(of: "a", appID: 1) == second.pseudonym(of: "a", appID: 1))
      let given = ["RINGFENCE_PSEUDONYM_KEY": String(repeating: "0f", count: 32)]
      let third = try DataFolder(path).pseudonymizer(environment: given)
      #expect(first.pseudonym(of: "a", appID: 1) != third.pseudonym(of: "a", appID: 1))
    }
  }

  @Test(arguments: ["0f", String(repeating: "zz", count: 32), String(repeating: "0f", count: 33)])
  func aDamagedKeyIsNamedAndNotReplaced(_ text: String) async throws {
    try await withTemporaryFolder { path in
      let folder = try DataFolder(path)
      #expect(throws: CommandFailure.self) {
        try folder.pseudonymizer(environment: ["RINGFENCE_PSEUDONYM_KEY": text])
      }
      try Data(text.utf8).write(to: URL(filePath: "\(path)/pseudonym.key"))
      #expect(throws: CommandFailure.self) { try folder.pseudonymizer(environment: [:]) }
      #expect(FileManager.default.contents(atPath: "\(path)/pseudonym.key") == Data(text.utf8))
    }
  }

  @Test func theInstallationIsFoundByTheEnvironment() throws {
    let found = try Installation.find(environment: ["RINGFENCE_HOME": Checkout.root])
    #expect(FileManager.default.fileExists(atPath: found.migrations))
    #expect(throws: CommandFailure.self) { try Installation.find(environment: ["RINGFENCE_HOME": "/nowhere"]) }
  }
}
