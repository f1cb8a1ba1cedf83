// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Importing
import Moderation
import Intake
import Publishing
import Storage
import Support

/// Demo data for trying out the server.
struct DemoData {
  let context: CommandContext

  private static let seed: UInt64 = 1
  private static let complaints = 20_000
  /// The secret of the data folder with the time at which the demo complaints end.
  static let endFile = "sample-end"
  private static let list = "sample"

  /// Loads demo complaints and cases and publishes twice; creates the demo app's key once, and a new sign-in link each
  /// time.
  func prepare() async throws -> Welcome {
    let key = try await key()
    let latest = try await context.stores.publications.latest()
    if latest == nil {
      // Stored, so that an interrupted load generates the same complaints when it continues on another day.
      let end = try context.folder.secret(Self.endFile) { Timestamp.format(ComplaintDays.beginning(of: Date())) }
      let numbers = try ProtectionCatalog.read(resources: context.installation.resources)
      try await numbers.add(
        numbers.countries.keys.sorted(), to: context.stores.protection, by: .program("demo"), at: Date())
      try await load(endingAt: Timestamp.parse(end) ?? Date())
      try await cases(key: key).prepare()
      // As the hourly job does, so that the first list has the weights of reporters who have reported for weeks.
      _ = try await context.stores.reporters.recount(protected: try await context.stores.protection.load(), at: Date())
      // As a server has done that has run since then; doctor would report them.
      _ = try await context.stores.retention.purgeNetworks(before: RetainedData.networks.limit(at: Date()))
      _ = try await context.publish(PublicationRequest(time: Date()))
    }
    // A database with one publication of its own, and no demo complaints, stays as it is.
    let isDemo = try context.folder.storedSecret(Self.endFile) != nil
    if latest == nil || (latest?.serial == 1 && isDemo) {
      try await cases(key: key).complete()
      _ = try await context.publish(PublicationRequest(time: Date()))
    }
    return Welcome(
      key: key,
      token: try await context.stores.sessions.makeSignInToken(for: "Administrator", role: .administrator, at: Date()),
      dataFolder: context.folder.path)
  }

  /// The key in the data folder may belong to another database.
  private func key() async throws -> String {
    let file = "sample-app.key"
    if let key = try context.folder.storedSecret(file), try await context.stores.apps.app(key: key) != nil {
      return key
    }
    let key = try await makeKey()
    try context.folder.replaceSecret(file, with: key)
    return key
  }

  private func makeKey() async throws -> String {
    let name = "Demo app"
    do {
      return try await context.stores.apps.create(name: name, at: Date()).key
    } catch AppError.nameTaken {
      return try await context.stores.apps.rotate(name: name, at: Date())
    }
  }

  private func cases(key: String) async throws -> DemoCases {
    guard let app = try await context.stores.apps.app(key: key) else { throw AppError.noApp("Demo app") }
    let list = try await context.stores.apps.source(named: Self.list, at: Date())
    return DemoCases(context: context, app: app.id, list: list.id, time: Date())
  }

  private func load(endingAt end: Date) async throws {
    let path = "\(context.folder.path)/sample.jsonl"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let step = StatusLine("Making sample complaints")
    try ComplaintSimulator.standard(seed: Self.seed, complaints: Self.complaints, isFictional: true, endingAt: end)
      .write(to: path)
    step.finish()
    _ = try await context.importComplaints(
      from: path, format: .jsonLines, source: Self.list, title: "Loading sample complaints", arrivesWhenReported: true)
  }
}

/// The text that `make run` prints after the server has started.
struct Welcome {
  let key: String
  let token: String
  let dataFolder: String

  /// The command line of this program that creates another link, quoted for a shell.
  private func linkCommand(_ address: String) -> String {
    command("sign-in-link", "Administrator", "--data", dataFolder, "--url", address)
  }

  /// The command line that adds the public list of the locale's country, or that shows all lists.
  /// - Parameter locale: such as `de_DE.UTF-8`.
  func listCommand(_ locale: String, _ catalog: SourceCatalog?) -> String {
    let country = locale.prefix { $0 != "." && $0 != "@" }.split(separator: "_").dropFirst().first.map(String.init)
    guard let entry = catalog?.sources.first(where: { $0.country == country }) else {
      return command("sources", "catalog")
    }
    return command("sources", "add", entry.name, "--data", dataFolder) + (entry.needsKey ? " --key-file FILE" : "")
  }

  private func command(_ words: String...) -> String {
    ([CommandLine.arguments[0]] + words).map { word in
      let isPlain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "+-./:@_,=".contains($0) }
      return isPlain ? word : quoted(word)
    }.joined(separator: " ")
  }

  private var locale: String {
    let environment = ProcessInfo.processInfo.environment
    return ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
  }

  func text(address: String) -> String {
    let catalog = try? SourceCatalog.read(resources: Installation.find(Settings()).resources)
    let time = Timestamp.format(Date())
    return """

      Ringfence is running. Stop it with Ctrl-C; its data stays.

      Moderation, signed in (the link works once)
        \(address)/sign-in?token=\(token)
      Another such link
        \(linkCommand(address))
      API key of the sample app
        \(key)
      Send a complaint
        curl -i \(address)/v1/reports -H 'Authorization: Bearer \(key)' -H 'Content-Type: application/json' \
      -d '{"number":"+12015550123","category":"robocall","reporter":"me","report_id":"\(UUID().uuidString.lowercased())",\
      "reported_at":"\(time)"}'
      Add a public list of numbers
        \(listCommand(locale, catalog))
      Manifest of the newest publication
        \(address)/v1/manifest.json

      """
  }
}

/// Cases of demo data for moderators to practice on: a hospital under attack, a brigade, a split vote, a range, an appeal,
/// and names in a directory. All numbers are reserved for fiction (555-0100 to 555-0199).
struct DemoCases {
  let context: CommandContext
  /// The app that reporters use; its reporters are new.
  let app: Int32
  /// The imported list; its reporters count as established.
  let list: Int32
  let time: Date

  static let hospital: Int64 = 12_025_550_140
  static let bakery: Int64 = 13_035_550_110
  static let school: Int64 = 14_045_550_120
  static let range: Int64 = 15_055_550_160
  static let appealed: Int64 = 12_125_550_170
  /// Two numbers that the reporters of the appealed number have reported before.
  static let earlier: Int64 = 12_135_550_180

  private static let hour: TimeInterval = 3_600

  /// The reports that the first publication lists, and the names of the directory. Earlier reports, more than a week apart,
  /// establish the reporters.
  func prepare() async throws {
    let reports = (0..<14).flatMap { index in
      [
        report(
          Self.appealed, list, index, hoursAgo: 20 + index * 9, .telemarketing, network: index,
          comment: index % 3 == 0 ? "Wanted to sell solar panels." : nil),
        report(
          Self.earlier, list, index, of: Self.appealed, hoursAgo: 30 * 24 + index, .telemarketing, network: index,
          comment: nil),
        report(
          Self.earlier + 1, list, index, of: Self.appealed, hoursAgo: 21 * 24 + index, .telemarketing, network: index,
          comment: nil),
      ]
    }
    try await accept(reports)
    try await nameBusinesses()
  }

  /// The reports after the first publication, the appeal and the range.
  func complete() async throws {
    try await accept(attack() + brigade() + split() + block())
    try await context.stores.protection.add(
      [(.number(Self.hospital + 2), "City Hospital, emergency department")], by: "Administrator", at: time)
    _ = try await context.stores.ranges.detect(at: time)
    let filing = try AppealFiling(
      number: Self.appealed,
      statement: "This is the number of my insurance office. We call only our own customers. Please check it.",
      contact: "owner@example.org", filedAt: time)
    let stamp = Array("demo appeal 0001".utf8)
    _ = try await context.moderation.appeals.file(
      filing, ticket: AppealTicket(), stamp: (id: stamp, expiresAt: time + 24 * Self.hour))
  }

  /// Stores reports as if each had arrived when it was made.
  private func accept(_ reports: [Report]) async throws {
    for (time, group) in Dictionary(grouping: reports, by: \.reportedAt).sorted(by: { $0.key < $1.key }) {
      _ = try await context.stores.reports.accept(group, receivedAt: time)
    }
  }

  /// 24 new reporters from 20 networks on one day, 15 of them with one text.
  private func attack() -> [Report] {
    (0..<24).map { index in
      report(
        Self.hospital, app, index, hoursAgo: 0, .fraud, network: min(index, 19),
        comment: index < 15
          ? "Scam hospital"
          : index < 18 ? "They asked for my insurance number." : index == 20 ? "Rude on the phone." : nil)
    }
  }

  /// 18 new reporters on three days, most of them in one network.
  private func brigade() -> [Report] {
    (0..<18).map { index in
      report(
        Self.bakery, app, index, hoursAgo: 1 + index % 3 * 24, .telemarketing, network: index < 14 ? 100 : 100 + index,
        comment: index % 4 == 0 ? "They would not stop calling." : nil)
    }
  }

  /// Nine complaints and seven reports as legitimate, on many days.
  private func split() -> [Report] {
    (0..<16).map { index in
      report(
        Self.school, list, index, hoursAgo: 10 + index * 23, index < 9 ? .robocall : .legitimate, network: 200 + index,
        comment: index == 2 ? "A recording about fees." : index == 12 ? "The school called back." : nil)
    }
  }

  /// Six numbers of a block of ten with four reporters each.
  private func block() -> [Report] {
    (0..<6).flatMap { place in
      (0..<4).map { index in
        report(
          Self.range + Int64(place), list, place * 4 + index, hoursAgo: 6 + place * 5 + index * 20, .oneRing,
          network: 300 + place * 4 + index, comment: index == 0 ? "Rang once and stopped." : nil)
      }
    }
  }

  /// - Parameter group: the number whose reporters are meant; nil for the reported one.
  private func report(
    _ number: Int64, _ app: Int32, _ reporter: Int, of group: Int64? = nil, hoursAgo: Int, _ category: ReportCategory,
    network: Int, comment: String?
  ) -> Report {
    // Of the reporter and the number, so that an interrupted start stores each report once. Pages show the first bytes.
    func bytes(_ number: Int64) -> [UInt8] {
      let name = [UInt8](Data("\(reporter) \(number)".utf8).prefix(16))
      return name + [UInt8](repeating: 0, count: 16 - name.count)
    }
    let id = bytes(number)
    return Report(
      number: number, appID: app,
      reportID: UUID(
        uuid: (
          id[0], id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10], id[11], id[12], id[13], id[14],
          id[15]
        )), reportedAt: time - Double(hoursAgo) * Self.hour - Double(reporter), category: category,
      reporter: bytes(group ?? number),
      comment: comment, network: [UInt8](repeating: UInt8(network % 251), count: 8))
  }

  private func nameBusinesses() async throws {
    let path = "\(context.folder.path)/sample-directory.csv"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let rows = [
      (Self.hospital, "City Hospital", "Hospitals"), (Self.hospital + 1, "City Hospital, visitors", "Hospitals"),
      (Self.bakery, "Corner Bakery", "Bakeries"), (Self.school, "Lincoln School", "Schools"),
      (Self.appealed, "Harbor Insurance", "Insurance"),
    ].map { "+\($0),\"\($1)\",\($2)\n" }
    try ("phone,name,category\n" + rows.joined()).write(toFile: path, atomically: true, encoding: .utf8)
    _ = try await context.importDirectory(
      DirectoryOptions(path: path, region: "US", temporaryFolder: context.folder.path), source: "Sample directory",
      priority: nil)
  }
}
