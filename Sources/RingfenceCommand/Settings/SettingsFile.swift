// SPDX-License-Identifier: Apache-2.0

import Foundation
import Yams

/// A settings file: a YAML mapping of names to values, or to lists of values.
enum SettingsFile {
  /// - Returns: the text of each value by its key.
  /// - Throws: ``CommandFailure`` with the file, the line, and the unknown key.
  static func read(_ file: String) throws -> [String: String] {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw CommandFailure.unreadable(
        "The file of settings \(file) cannot be read. Check its name, owner and permissions.")
    }
    let root: Node?
    do {
      root = try Yams.compose(yaml: String(decoding: data, as: UTF8.self))
    } catch {
      throw CommandFailure.failed("The file of settings \(file) is not valid YAML: \(error)")
    }
    guard let root, root.null == nil else { return [:] }
    guard let mapping = root.mapping else {
      throw CommandFailure.failed("The file of settings \(file) must have a line for each setting, such as port: 8443.")
    }
    let names = Set(SettingList.descriptions.map(\.key)).subtracting(["config"])
    let secrets = Set(SettingList.descriptions.filter(\.isSecret).map(\.name))
    return try mapping.reduce(into: [:]) { values, member in
      let line = "Line \(member.key.mark?.line ?? 1) of \(file)"
      let key = member.key.string ?? ""
      guard !secrets.contains(key) else {
        throw CommandFailure.failed("\(line) has the secret \(key). Write it to a file that \(key)-file names.")
      }
      if let new = FormerName.settings[key] {
        throw CommandFailure.failed("\(line) has the key \"\(key)\", which is now \"\(new)\".")
      }
      guard names.contains(key) else {
        throw CommandFailure.failed(
          "\(line) has the key \"\(key)\", which is not a setting. Documentation/configuration.md lists them.")
      }
      let texts = member.value.sequence.map { Array($0).map(\.scalar?.string) } ?? [member.value.scalar?.string]
      guard !texts.contains(nil) else {
        throw CommandFailure.failed("\(line): \(key) must be a value or a list of values.")
      }
      values[key] = texts.compactMap { $0 }.joined(separator: " ")
    }
  }
}
