// SPDX-License-Identifier: Apache-2.0

import Curation
import HTTPServer
import Storage

/// Values of the layout around every page, available to templates as `frame`.
enum PageLayout {
  static func record(_ context: ServerRequestContext, _ texts: Localizer) -> TemplateRecord {
    let moderator = context.moderator
    let shortcuts = moderator?.shortcuts ?? .standard
    return [
      // Empty without a session.
      "account": moderator?.name ?? "", "role": moderator.map { texts("role.\($0.role.rawValue)") } ?? "",
      "isSignedIn": moderator != nil,
      // Whether the page belongs to the reader's own account.
      "isAccount": Navigation.isUnder(Navigation.account, context.path),
      "isModerator": moderator.map { $0.role >= .moderator } ?? false,
      "isAdministrator": moderator.map { $0.role >= .administrator } ?? false,
      // The token that every form includes.
      "csrf": context.csrf,
      // The key of each action by its name, empty for none.
      "keys": TemplateRecord(ShortcutKeys.Action.allCases.map { ($0.rawValue, shortcuts[$0]) }),
      "areKeysOn": shortcuts.isOn, "language": texts.language.rawValue,
      "navigation": moderator.map { navigation($0.role, context, texts) } ?? [],
    ]
  }

  private static func navigation(
    _ role: Role, _ context: ServerRequestContext, _ texts: Localizer
  ) -> [TemplateRecord] {
    let (current, waiting) = (Navigation.current(context.path)?.name, context.waiting.own)
    return Navigation.Group.allCases.compactMap { group in
      let areas = Navigation.areas.filter { role >= $0.role && $0.group == group }
      guard !areas.isEmpty else { return nil }
      return [
        // The home page is before the groups.
        "title": group == .home ? "" : texts("layout.group-\(group.rawValue)"),
        "areas": areas.map { area in
          [
            "address": area.address, "name": texts("layout.\(area.name)"), "isCurrent": area.name == current,
            "count": area.name == "queue" && waiting > 0 ? texts.number(waiting) : "",
          ] as TemplateRecord
        },
      ]
    }
  }
}

/// The areas of the moderation pages.
enum Navigation {
  /// The groups of areas, in their order.
  enum Group: String, CaseIterable {
    case home, review, lists, administration
  }

  struct Area {
    /// The name in addresses and message keys; `frame.NAME` is the title.
    let name: String
    let address: String
    /// The lowest role that sees the area.
    let role: Role
    /// Addresses of pages that belong to the area but are not below its address.
    var pages: [String] = []

    var group: Group {
      switch name {
      case "home": .home
      case "protected", "thresholds", "publications", "sources": .lists
      case "apps", "accounts", "audit", "health": .administration
      default: .review
      }
    }
  }

  static let areas = [
    Area(name: "home", address: "/moderation", role: .triage),
    Area(
      name: "queue", address: "/moderation/queue", role: .triage, pages: ["/moderation/numbers", "/moderation/bulk"]),
    Area(name: "search", address: "/moderation/search", role: .triage),
    Area(
      name: "reviews", address: "/moderation/reviews", role: .moderator,
      pages: ["/moderation/agreement", "/moderation/golden"]),
    Area(
      name: "team", address: "/moderation/team", role: .moderator,
      pages: [AssignmentPages.address, TemplatePages.address, "/moderation/transparency"]),
    Area(name: "appeals", address: "/moderation/appeals", role: .moderator),
    Area(name: "reporters", address: "/moderation/reporters", role: .moderator),
    Area(name: "ranges", address: "/moderation/ranges", role: .moderator),
    Area(name: "protected", address: "/moderation/protected", role: .moderator),
    Area(name: "thresholds", address: "/moderation/thresholds", role: .moderator),
    Area(
      name: "publications", address: "/moderation/publications", role: .triage,
      pages: ["/moderation/recipes", UsefulnessPages.address]),
    Area(name: "sources", address: "/moderation/sources", role: .administrator),
    Area(name: "apps", address: "/moderation/apps", role: .administrator),
    Area(name: "accounts", address: "/moderation/accounts", role: .administrator),
    Area(name: "audit", address: "/moderation/audit", role: .moderator),
    Area(name: "health", address: "/moderation/health", role: .moderator),
  ]

  /// The page of one's own account, which is not an area.
  static let account = "/moderation/account"

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
