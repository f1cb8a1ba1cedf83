// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Storage
import Timestamps

/// `ringfence app list`
struct AppList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List apps with the number of valid keys and the time of last use.")

  @OptionGroup var database: DatabaseOptions

  func run() async throws {
    let keys = try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      try await context.stores.apps.keys()
    }
    let now = Date()
    let rows = Dictionary(grouping: keys, by: \.appName).sorted { $0.key < $1.key }.map { name, keys in
      let valid = keys.count { $0.state(at: now) == .valid }
      return [name, "\(valid)", keys.compactMap(\.lastUsedAt).max().map { Timestamp.format($0) } ?? "never"]
    }
    print(TextTable(["app", "valid keys", "last used"], rows).aligned)
  }
}

/// `ringfence app keys [NAME]`
struct AppKeys: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "List keys with their scopes, expiry and time of last use.")

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "Name of an app. Default: all apps.")
  var name: String?

  @Flag(help: "Separate columns by tabs, for programs.")
  var tsv = false

  func run() async throws {
    let keys = try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      try await withAppFailures { try await context.stores.apps.keys(of: name) }
    }
    let now = Date()
    let rows = keys.map { key in
      [
        "\(key.id)", key.appName, key.hint, key.state(at: now).rawValue, key.scopes.names.joined(separator: ","),
        Timestamp.format(key.createdAt), key.createdBy,
        (key.revokedAt ?? key.expiresAt).map { Timestamp.format($0) } ?? "",
        key.lastUsedAt.map { Timestamp.format($0) } ?? "never",
      ]
    }
    let table = TextTable(
      ["key", "app", "begins", "state", "scopes", "created", "by", "ends", "last used"], rows)
    print(tsv ? table.tsv : table.aligned)
  }
}
