// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Names an option that a command does not have. ArgumentParser checks the rules of the command first, such as "one of
/// --block and --allow", and their error would hide the name.
enum UnknownOption {
  /// The refusal of the first unknown option on a command line; nil if the command has all of them.
  static func refusal(of arguments: [String], root: any ParsableCommand.Type) -> String? {
    var (command, path) = (root, [root._commandName])
    for argument in arguments {
      guard let next = command.configuration.subcommands.first(where: { $0._commandName == argument }) else { break }
      command = next
      path.append(argument)
    }
    let names = names(of: root.helpMessage(for: command, includeHidden: true, columns: 200))
    for argument in arguments.prefix(while: { $0 != "--" }) where argument.hasPrefix("--") {
      let name = String(argument.prefix { $0 != "=" })
      if !names.contains(name) {
        return "Unknown option '\(name)'. List the options with: \(path.joined(separator: " ")) --help"
      }
    }
    return nil
  }

  /// The names that begin the lines of a help text, before two spaces: `  --url <url>   Address`.
  private static func names(of help: String) -> Set<String> {
    let lines = help.split(separator: "\n").filter { $0.hasPrefix("  -") }.map { $0.dropFirst(2) }
    let heads = lines.map { line in line[..<(line.firstRange(of: "  ")?.lowerBound ?? line.endIndex)] }
    return Set(heads.flatMap { $0.matches(of: /--[a-z0-9-]+/).map { String($0.0) } })
  }
}
