// SPDX-License-Identifier: Apache-2.0

/// One setting: its names, its rule, its default and its meaning.
package struct Setting<Value: Sendable>: Sendable {
  let description: SettingDescription
  /// The value if no source sets it.
  let standard: Value
  /// Returns nil for a text that breaks the rule.
  let parse: @Sendable (String) -> Value?

  /// A setting with a default.
  /// - Parameters:
  ///   - name: its key in a file of settings. The option and the environment variable are named after it.
  ///   - variable: the environment variable, where that has another name.
  ///   - hasOption: whether the command line can set it.
  init(
    _ name: String, _ rule: SettingRule<Value>, default standard: Value, variable: String? = nil,
    hasOption: Bool = true, _ meaning: String
  ) {
    self.init(
      SettingDescription(
        name: name, ownVariable: variable, hasOption: hasOption, isSecret: false, rule: rule.text, value: rule.value,
        standard: "\(standard)", meaning: meaning),
      standard: standard, parse: rule.parse)
  }

  /// A setting that may be absent.
  /// - Parameter absent: description of the default.
  init<Given>(
    _ name: String, _ rule: SettingRule<Given>, absent: String, variable: String? = nil, hasOption: Bool = true,
    _ meaning: String
  ) where Value == Given? {
    self.init(
      SettingDescription(
        name: name, ownVariable: variable, hasOption: hasOption, isSecret: false, rule: rule.text, value: rule.value,
        standard: absent,
        meaning: meaning),
      standard: nil, parse: { rule.parse($0).map(Optional.some) })
  }

  /// A secret from an environment variable, or from the file that the setting `name-file` names. No option takes it,
  /// because every account of the machine can read command lines, and settings files do not contain it.
  init<Given>(
    secret name: String, _ rule: SettingRule<Given>, absent: String, variable: String? = nil, _ meaning: String
  ) where Value == Given? {
    self.init(
      SettingDescription(
        name: name, ownVariable: variable, hasOption: false, isSecret: true, rule: rule.text, value: rule.value,
        standard: absent,
        meaning: meaning),
      standard: nil, parse: { rule.parse($0).map(Optional.some) })
  }

  private init(_ description: SettingDescription, standard: Value, parse: @escaping @Sendable (String) -> Value?) {
    self.description = description
    self.standard = standard
    self.parse = parse
  }
}

/// The description of a setting in help, errors and Documentation/configuration.md.
package struct SettingDescription: Sendable {
  let name: String
  fileprivate let ownVariable: String?
  let hasOption: Bool
  let isSecret: Bool
  /// Completes the sentence "It must be …".
  let rule: String
  /// Names the value in help, with its unit.
  let value: String
  let standard: String
  let meaning: String

  /// The environment variable.
  var variable: String { ownVariable ?? Self.variable(of: name) }

  /// The environment variable of a setting with this name, unless the setting names its own.
  static func variable(of name: String) -> String { "RINGFENCE_" + name.uppercased().replacing("-", with: "_") }

  /// The key in a settings file; for a secret the key that names its file.
  var key: String { isSecret ? "\(name)-file" : name }

  /// The environment variable of each key that a source may have.
  var variables: [String: String] {
    isSecret ? [name: variable, "\(name)-file": "\(variable)_FILE"] : [name: variable]
  }
}

/// A setting of any type.
protocol AnySetting {
  var description: SettingDescription { get }
}

extension Setting: AnySetting {}
