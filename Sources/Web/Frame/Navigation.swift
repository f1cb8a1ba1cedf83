import Curation

/// The areas of the moderation pages.
enum Navigation {
  struct Area {
    /// The text `frame.NAME` is what it is called.
    let name: String
    let address: String
    /// The least role that sees it.
    let role: Role
  }

  static let areas = [
    Area(name: "home", address: "/moderation", role: .triage),
    Area(name: "queue", address: "/moderation/queue", role: .triage),
    Area(name: "search", address: "/moderation/search", role: .triage),
    Area(name: "appeals", address: "/moderation/appeals", role: .moderator),
    Area(name: "reporters", address: "/moderation/reporters", role: .moderator),
    Area(name: "ranges", address: "/moderation/ranges", role: .moderator),
    Area(name: "protected", address: "/moderation/protected", role: .moderator),
    Area(name: "thresholds", address: "/moderation/thresholds", role: .moderator),
    Area(name: "publications", address: "/moderation/publications", role: .triage),
    Area(name: "apps", address: "/moderation/apps", role: .administrator),
    Area(name: "accounts", address: "/moderation/accounts", role: .administrator),
    Area(name: "audit", address: "/moderation/audit", role: .moderator),
    Area(name: "health", address: "/moderation/health", role: .moderator),
  ]

  /// The area that a path lies in: the one with the longest address.
  static func current(_ path: String) -> Area? {
    areas.filter { path == $0.address || path.hasPrefix($0.address + "/") && $0.name != "home" }
      .max { $0.address.count < $1.address.count }
  }
}
