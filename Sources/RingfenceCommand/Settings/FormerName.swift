// SPDX-License-Identifier: Apache-2.0

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
