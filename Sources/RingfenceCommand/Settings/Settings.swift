// SPDX-License-Identifier: Apache-2.0

import Foundation
import Yams

/// The values of the settings: from the command line, the environment, a file, or the default, in this order.
@dynamicMemberLookup
package struct Settings: Sendable {
  private enum Origin {
    case commandLine, environment
    case file(String)
  }

  /// The values of each source by the name of the setting. The first source that has one counts.
  private var sources: [(origin: Origin, values: [String: String])]

  /// - Parameter given: values of the command line, by the name of the setting.
  /// - Throws: ``CommandFailure`` if the settings file cannot be read or has an unknown key, or a variable has a former name.
  package init(
    _ given: [String: String] = [:], environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    try FormerName.check(environment)
    let variables = SettingList.variables.compactMapValues { environment[$0] }.filter { !$0.value.isEmpty }
    sources = [(.commandLine, given), (.environment, variables)]
    if let file = value(of: "config") { sources.append((.file(file), try SettingsFile.read(file))) }
  }

  /// - Throws: ``CommandFailure`` with the setting, its value, the value's source, and the violated rule.
  package subscript<Value>(dynamicMember setting: KeyPath<SettingList, Setting<Value>>) -> Value {
    get throws {
      let setting = SettingList.all[keyPath: setting]
      guard let text = try text(of: setting.description) else { return setting.standard }
      guard let value = setting.parse(text) else { throw refusal(of: text, setting.description) }
      return value
    }
  }

  /// The source of a setting's value, such as `RINGFENCE_PORT`; nil if the default applies.
  func origin(of setting: SettingDescription) -> String? {
    place(of: setting.name).flatMap { name($0, of: setting.name) }
      ?? (setting.isSecret ? place(of: setting.key).flatMap { name($0, of: setting.key) } : nil)
  }

  private func text(of setting: SettingDescription) throws -> String? {
    let text = value(of: setting.name)
    guard setting.isSecret, let file = value(of: setting.key) else { return text }
    if text != nil {
      guard case .environment? = place(of: setting.key) else { return text }
      throw CommandFailure.failed("\(setting.variable) and \(setting.variable)_FILE are both set. Unset one of them.")
    }
    return try Self.secret(in: file, namedBy: place(of: setting.key).map { name($0, of: setting.key) })
  }

  /// - Throws: ``CommandFailure`` if the file cannot be read or is empty.
  static func secret(in file: String, namedBy place: String? = nil) throws -> String {
    let that = place.map { " that \($0) names" } ?? ""
    guard let data = FileManager.default.contents(atPath: file) else {
      throw CommandFailure.unreadable("Cannot read the file \(file)\(that). Check its name, owner and permissions.")
    }
    let secret = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard !secret.isEmpty else {
      throw CommandFailure.unreadable("The file \(file)\(that) is empty. Write the secret into it.")
    }
    return secret
  }

  private func value(of key: String) -> String? {
    sources.lazy.compactMap { $0.values[key] }.first
  }

  private func place(of key: String) -> Origin? {
    sources.first { $0.values[key] != nil }?.origin
  }

  private func name(_ origin: Origin, of key: String) -> String {
    switch origin {
    case .commandLine: "--\(key)"
    case .environment: SettingList.variables[key] ?? key
    case .file(let file): "\(key) in \(file)"
    }
  }

  private func refusal(of text: String, _ setting: SettingDescription) -> CommandFailure {
    // An address may have a password.
    let found = setting.isSecret ? "is not valid" : "is \"\(text.replacing(/\/\/[^\/@]*@/, with: "//…@"))\""
    var isUsage = false
    if case .commandLine? = place(of: setting.name) { isUsage = true }
    return CommandFailure(
      description: "\(origin(of: setting) ?? setting.name) \(found). It must be \(setting.rule).",
      exitCode: isUsage ? 2 : 1)
  }
}

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

/// Former names of settings and options. They are refused with the new name.
enum FormerName {
  /// The new name of each renamed setting.
  static let settings = [
    "least-size": "min-size", "greatest-size": "max-size", "greatest-churn": "max-churn", "slack": "tolerance",
  ]

  private static let options = settings.merging([
    "least-strength": "min-strength", "most-change": "max-change", "because": "reason",
  ]) { $1 }

  /// The refusal of the first renamed option on a command line; nil if it has none.
  static func refusal(of arguments: [String]) -> String? {
    for argument in arguments.prefix(while: { $0 != "--" }) where argument.hasPrefix("--") {
      let name = String(argument.dropFirst(2).prefix { $0 != "=" })
      if let new = options[name] { return "The option --\(name) is now --\(new)." }
    }
    return nil
  }

  /// - Throws: ``CommandFailure`` if the environment sets a renamed setting.
  static func check(_ environment: [String: String]) throws {
    for (name, new) in settings.sorted(by: { $0.key < $1.key }) {
      let (variable, newVariable) = (SettingDescription.variable(of: name), SettingDescription.variable(of: new))
      guard environment[variable]?.isEmpty == false else { continue }
      throw CommandFailure.failed("The variable \(variable) is now \(newVariable). Rename it.")
    }
  }
}
