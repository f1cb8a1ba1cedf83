// SPDX-License-Identifier: Apache-2.0

import Curation
import HTTPServer
import Localization
import PageTemplates
import Storage

/// Values of the layout around every page, available to templates as `frame`.
struct PageLayout: Encodable {
  /// An entry of the navigation.
  struct Entry: Encodable {
    let address: String
    let name: String
    let isCurrent: Bool
    /// The number of waiting cases; empty for none.
    let count: String
  }

  /// The account's name; empty without a session.
  let account: String
  /// The role's name.
  let role: String
  let isSignedIn: Bool
  /// Whether the page belongs to the reader's own account.
  let isAccount: Bool
  let isModerator: Bool
  let isAdministrator: Bool
  /// The token that every form includes.
  let csrf: String
  /// The key of each action by its name, empty for none.
  let keys: [String: String]
  /// Whether single keys do anything.
  let areKeysOn: Bool
  /// For `<html lang>`.
  let language: String
  let navigation: [Entry]

  init(context: ServerRequestContext, texts: Localizer) {
    let moderator = context.moderator
    account = moderator?.name ?? ""
    role = moderator.map { texts("role.\($0.role.rawValue)") } ?? ""
    isSignedIn = moderator != nil
    isAccount = Navigation.isUnder(Navigation.account, context.path)
    isModerator = moderator.map { $0.role >= .moderator } ?? false
    isAdministrator = moderator.map { $0.role >= .administrator } ?? false
    csrf = context.csrf
    let shortcuts = moderator?.shortcuts ?? .standard
    keys = Dictionary(
      uniqueKeysWithValues: ShortcutKeys.Action.allCases.map { ($0.rawValue, shortcuts[$0]) })
    areKeysOn = shortcuts.isOn
    language = texts.language.rawValue
    navigation =
      moderator.map { moderator in
        let current = Navigation.current(context.path)
        return Navigation.areas.filter { moderator.role >= $0.role }.map { area in
          Entry(
            address: area.address, name: texts("layout.\(area.name)"), isCurrent: area.name == current?.name,
            count: area.name == "queue" && context.waiting.own > 0 ? texts.number(context.waiting.own) : "")
        }
      } ?? []
  }
}

extension PageLayout.Entry: TemplateValueConvertible {
  var templateValue: TemplateValue {
    ["address": .text(address), "name": .text(name), "isCurrent": .flag(isCurrent), "count": .text(count)]
  }
}

/// The areas of the moderation pages.
enum Navigation {
  struct Area {
    /// The name in addresses and message keys; `frame.NAME` is the title.
    let name: String
    let address: String
    /// The lowest role that sees the area.
    let role: Role
    /// Addresses of pages that belong to the area but are not below its address.
    var pages: [String] = []
  }

  static let areas = [
    Area(name: "home", address: "/moderation", role: .triage),
    Area(
      name: "queue", address: "/moderation/queue", role: .triage, pages: ["/moderation/numbers", "/moderation/bulk"]),
    Area(name: "search", address: "/moderation/search", role: .triage),
    Area(
      name: "reviews", address: "/moderation/reviews", role: .moderator,
      pages: ["/moderation/agreement", "/moderation/golden"]),
    Area(name: "appeals", address: "/moderation/appeals", role: .moderator),
    Area(name: "reporters", address: "/moderation/reporters", role: .moderator),
    Area(name: "ranges", address: "/moderation/ranges", role: .moderator),
    Area(name: "protected", address: "/moderation/protected", role: .moderator),
    Area(name: "thresholds", address: "/moderation/thresholds", role: .moderator),
    Area(name: "publications", address: "/moderation/publications", role: .triage, pages: ["/moderation/recipes"]),
    Area(name: "sources", address: "/moderation/sources", role: .administrator),
    Area(name: "apps", address: "/moderation/apps", role: .administrator),
    Area(name: "accounts", address: "/moderation/accounts", role: .administrator),
    Area(name: "audit", address: "/moderation/audit", role: .moderator),
    Area(name: "health", address: "/moderation/health", role: .moderator),
  ]

  /// The page of one's own account, which is not an area.
  static let account = "/moderation/account"

  /// The area of a path; nil if the page belongs to none.
  static func current(_ path: String) -> Area? {
    // The home area matches exactly, because all other areas are below its address.
    path == areas[0].address
      ? areas[0]
      : areas.dropFirst().first { area in ([area.address] + area.pages).contains { isUnder($0, path) } }
  }

  /// An address as a link for an account; empty where its role may not open it.
  static func link(_ address: String, for role: Role) -> String {
    let path = String(address.prefix { $0 != "?" })
    return current(path).map { role >= $0.role } ?? true ? address : ""
  }

  static func isUnder(_ address: String, _ path: String) -> Bool { path == address || path.hasPrefix(address + "/") }
}
