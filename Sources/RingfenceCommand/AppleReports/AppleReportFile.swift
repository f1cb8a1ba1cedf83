// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Intake
import PhoneNumbers
import Yams

/// The file of the setting `apple-apps`.
enum AppleReportFile {
  /// - Throws: ``CommandFailure`` with the file, the line and the rule.
  static func read(_ file: String) throws -> AppleReportSettings {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw CommandFailure.unreadable(
        "The file \(file) of the setting apple-apps cannot be read. Check its name, owner and permissions.")
    }
    return try read(String(decoding: data, as: UTF8.self), file: file)
  }

  /// `file` names the text in errors.
  static func read(_ text: String, file: String) throws -> AppleReportSettings {
    let root: Node?
    do {
      root = try Yams.compose(yaml: text)
    } catch {
      throw CommandFailure.failed("The file \(file) of the setting apple-apps is not valid YAML: \(error)")
    }
    let reader = Reader(file: file)
    guard let root, root.null == nil else { return AppleReportSettings() }
    let members = try reader.members(of: root, known: ["classificationreport", "messagefilter", "maps"])
    guard let maps = members["maps"].map({ $0.sequence }) ?? [] else {
      throw reader.failure(members["maps"], "maps must be a list")
    }
    return AppleReportSettings(
      reportingApps: try reader.apps(members["classificationreport"]),
      filteringApps: try reader.apps(members["messagefilter"]), maps: try maps.map(reader.map))
  }

  private struct Reader {
    let file: String

    func failure(_ node: Node?, _ rule: String) -> CommandFailure {
      .failed("Line \(node?.mark?.line ?? 1) of \(file): \(rule).")
    }

    func members(of node: Node, known: Set<String>) throws -> [String: Node] {
      let names = known.sorted().joined(separator: ", ")
      guard let mapping = node.mapping else { throw failure(node, "this must be a mapping with some of \(names)") }
      return try mapping.reduce(into: [:]) { members, member in
        let name = member.key.string ?? ""
        guard known.contains(name) else {
          throw failure(member.key, "\"\(name.prefix(40))\" is unknown; use some of \(names)")
        }
        members[name] = member.value
      }
    }

    func text(_ node: Node?) throws -> String? {
      guard let node else { return nil }
      guard let text = node.scalar?.string, (1...80).contains(text.count) else {
        throw failure(node, "a value must have 1 to 80 characters")
      }
      return text
    }

    /// Identifiers with the team's ten characters in front.
    func apps(_ node: Node?) throws -> [String] {
      guard let node else { return [] }
      guard let nodes = node.sequence else { throw failure(node, "this must be a list of identifiers of apps") }
      return try nodes.map { item in
        guard let text = item.scalar?.string, text.wholeMatch(of: /[A-Z0-9]{10}\.[A-Za-z0-9.-]{1,155}/) != nil else {
          throw failure(item, "an identifier has the team and the bundle, such as TEAMID1234.org.example.app")
        }
        return text
      }
    }

    private static let known: Set<String> = [
      "number", "region", "category", "categories", "default", "legitimate", "action", "report_id", "token",
      "reported_at", "app",
    ]

    func map(_ node: Node) throws -> AppleFieldMap {
      let members = try members(of: node, known: Self.known)
      guard let number = try text(members["number"]) else { throw failure(node, "number is missing") }
      let region = try text(members["region"])
      if let region, !PhoneRegion.isSupported(region) {
        throw failure(members["region"], "region must be two letters of ISO 3166, such as DE")
      }
      var map = AppleFieldMap(
        number: number, region: region, category: try text(members["category"]),
        standardCategory: try category(members["default"]), legitimate: try text(members["legitimate"]),
        action: try text(members["action"]), reportedAt: try text(members["reported_at"]),
        appWithoutToken: try text(members["app"]))
      map.reportID = try text(members["report_id"]) ?? map.reportID
      map.token = try text(members["token"]) ?? map.token
      guard let categories = members["categories"] else { return map }
      guard let mapping = categories.mapping else {
        throw failure(categories, "categories must be the app's names with categories of this server")
      }
      for (key, value) in mapping {
        if let name = key.scalar?.string { map.categories[name] = try category(value) }
      }
      return map
    }

    private func category(_ node: Node?) throws -> String? {
      guard let slug = try text(node) else { return nil }
      guard ReportCategory(slug: slug) != nil else {
        let known = ReportCategory.allCases.map(\.slug).joined(separator: ", ")
        throw failure(node, "\"\(slug)\" is no category; use one of \(known)")
      }
      return slug
    }
  }
}
