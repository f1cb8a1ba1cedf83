// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Attestation
import Curation
import Foundation
import Storage

struct AppAttestationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attestation",
    abstract: "Show or set which builds of an app may attest, so that reports of their phones weigh more.",
    discussion: """
      Without options the command prints the builds. With options they replace all earlier ones. The app's key needs the \
      scope install. Weights are set on the page Apps.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var audit: AuditOption

  @Argument(help: "Name of the app.")
  var name: String

  @Option(help: .value("app-id", "App ID of iOS, such as A1B2C3D4E5.org.example.app. Repeat it for several."))
  var ios: [String] = []

  @Option(
    help: .value(
      "category", "Kind of Apple's distribution that may attest since iOS 27: 2 TestFlight, 4 App Store, 5 enterprise."
    ))
  var iosCategory: [Int64] = AttestationPolicy.usualCategories.sorted()

  @Flag(help: "Accept builds of iOS that were not distributed.")
  var allowDevelopment = false

  @Option(
    help: .value(
      "package=sha256", "Android package, and the SHA-256 of its signing certificate. Repeat it for several."))
  var android: [String] = []

  @Flag(help: "Accept Android keys without secure hardware. Their phones never get the weight for hardware.")
  var allowSoftware = false

  @Flag(help: "Accept no attestation any more. Tokens stay valid until they end.")
  var remove = false

  private func policy() throws -> AttestationPolicy? {
    guard !ios.isEmpty || !android.isEmpty else { return nil }
    var policy = AttestationPolicy(
      iosAppIDs: ios, allowsDevelopment: allowDevelopment, iosCategories: Set(iosCategory),
      allowsSoftware: allowSoftware)
    for text in ios where !AttestationPolicy.isAppID(text) {
      throw ValidationError(
        "--ios is \"\(text.prefix(80))\". An App ID is the team's ten capital letters and digits, a point, and the "
          + "bundle's name, such as A1B2C3D4E5.org.example.app.")
    }
    for category in iosCategory where !(1...10).contains(category) {
      throw ValidationError("--ios-category is \(category). Pass a number from 1 to 10, such as 4 for the App Store.")
    }
    for text in android where !policy.add(android: text) {
      throw ValidationError(
        "--android is \"\(text.prefix(80))\". Pass the package, an equals sign, and the 64 hex digits of the SHA-256 of "
          + "its signing certificate, as apksigner verify --print-certs prints it.")
    }
    guard ios.count <= AttestationPolicy.maxBuilds, android.count <= AttestationPolicy.maxBuilds else {
      throw ValidationError("An app can have at most \(AttestationPolicy.maxBuilds) App IDs and as many packages.")
    }
    return policy
  }

  func validate() throws {
    let policy = try policy()
    guard !remove || policy == nil else {
      throw ValidationError("--remove cannot be combined with --ios and --android. Pass one of them.")
    }
    guard policy != nil || !allowDevelopment && !allowSoftware && Set(iosCategory) == AttestationPolicy.usualCategories
    else {
      throw ValidationError("--ios-category, --allow-development and --allow-software need --ios or --android.")
    }
  }

  func run() async throws {
    let policy = try policy()
    try await database.open(as: audit) { context in
      let installations = context.stores.installations
      if policy != nil || remove {
        try await installations.set(policy, ofApp: name, by: audit.name, at: Date())
      }
      let app = try await context.stores.apps.keys(of: name).first
      let stored = if let app { try await installations.policy(of: app.appID) } else { policy }
      print(Self.text(stored))
    }
  }

  private static func text(_ policy: AttestationPolicy?) -> String {
    guard let policy else { return "No build may attest." }
    var lines = policy.iosAppIDs.map { "ios \($0)" }
    for (package, digests) in policy.androidPackages.sorted(by: { $0.key < $1.key }) {
      lines += digests.map { "android \(package)=\($0)" }
    }
    lines.append("categories of iOS: \(policy.iosCategories.sorted().map(String.init).joined(separator: ", "))")
    if policy.allowsDevelopment { lines.append("development builds of iOS are accepted") }
    if policy.allowsSoftware { lines.append("keys of Android without hardware are accepted") }
    return lines.joined(separator: "\n")
  }
}

/// The folder of the setting `attestation-files`: roots that replace the known ones, and Google's list of revoked keys.
enum AttestationFiles {
  private static let (apple, android, revoked) = ("apple-roots.pem", "android-roots.pem", "android-status.json")

  /// - Throws: ``CommandFailure`` for a file of roots that cannot be used.
  static func read(_ folder: String) throws -> AttestationTrust {
    var isFolder = false as ObjCBool
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
      throw CommandFailure.unreadable(
        "The folder \(folder) of the setting attestation-files does not exist. Create it, or unset attestation-files.")
    }
    func text(_ name: String) throws -> String? {
      let path = "\(folder)/\(name)"
      guard FileManager.default.fileExists(atPath: path) else { return nil }
      guard let data = FileManager.default.contents(atPath: path) else {
        throw CommandFailure.unreadable("\(path) cannot be read. Grant read access to the account of the server.")
      }
      return String(decoding: data, as: UTF8.self)
    }
    func checked(_ name: String, _ work: (String) throws(AttestationRoots.Unusable) -> Void) throws {
      guard let text = try text(name) else { return }
      do {
        try work(text)
      } catch let problem {
        let place = problem.certificate == 0 ? "has no certificate" : "certificate \(problem.certificate) is no root"
        throw CommandFailure.failed(
          "\(folder)/\(name): \(place). The file must have certificates in PEM that signed themselves.")
      }
    }
    try checked(apple) { text throws(AttestationRoots.Unusable) in _ = try AttestationRoots(apple: text) }
    try checked(android) { text throws(AttestationRoots.Unusable) in _ = try AttestationRoots(android: text) }
    return AttestationTrust(
      roots: try AttestationRoots(apple: text(apple), android: text(android)), revocations: "\(folder)/\(revoked)")
  }

  /// The doctor's check of the folder; no finding without one.
  static func findings(_ settings: Settings) throws -> [Finding] {
    guard let folder = try settings.attestationFiles else { return [] }
    let what = "attested phones"
    do {
      guard let count = try read(folder).revokedKeys(at: Date()) else {
        return [
          .warning(
            what, "\(folder)/\(revoked) is missing, is older than 30 days, or is not Google's list",
            "Download it again, as Documentation/attestation.md says. Until then phones with Android get the level "
              + "software.")
        ]
      }
      return [.ok(what, "a list with \(TextFormat.count(count, "revoked key"))")]
    } catch let failure as CommandFailure {
      return [.bad(what, failure.description, "The server does not start with it. See Documentation/attestation.md.")]
    }
  }
}
