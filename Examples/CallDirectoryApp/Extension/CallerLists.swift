// SPDX-License-Identifier: Apache-2.0

import CallDirectory
import CallKit
import Foundation

/// The names and folders that the app and its extension share. This file belongs to both targets.
enum CallerLists {
  static let appGroup = "group.org.example.callfilter"
  static let extensionID = "org.example.callfilter.calldirectory"

  /// The packs to load, in order of priority, by their names in the manifest.
  static let packs = ["blocklist", "toxic"]

  /// The folder of the app group.
  static func container() throws -> URL {
    guard let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: appGroup) else {
      throw CocoaError(.fileNoSuchFile)  // The app group is missing in the entitlements.
    }
    return folder
  }

  /// The folder of the client.
  static func clientFolder() throws -> URL { try container().appendingPathComponent("ringfence") }

  /// The file of the numbers that the user blocked or named.
  static func personalFile() throws -> URL { try container().appendingPathComponent("personal") }

  static func loader() throws -> ExtensionLoader {
    let folder = try clientFolder().appendingPathComponent("packs")
    let files = packs.map { folder.appendingPathComponent("\($0).rfpack") }
    return ExtensionLoader(
      store: try container().appendingPathComponent("calldirectory"),
      packs: files.filter { FileManager.default.fileExists(atPath: $0.path) },
      personal: try personalFile())
  }
}
