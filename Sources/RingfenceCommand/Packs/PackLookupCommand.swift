// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
internal import CallerPack
internal import Foundation

/// `ringfence pack lookup`: shows a pack's entry of a number.
public struct PackLookupCommand: AsyncParsableCommand {
  /// The command's name and its help.
  public static let configuration = CommandConfiguration(
    commandName: "lookup", abstract: "Look up a number in a pack.",
    discussion: "The exit code is also 0 if the pack does not contain the number.")

  @Argument(help: "Pack to read.") var file: String
  @Argument(help: "Number with its country code, with or without a plus.") var number: String
  @Flag(help: "Print JSON.") var json = false

  /// Creates the command.
  public init() {}

  private var digits: Int64? {
    let digits = number.hasPrefix("+") ? number.dropFirst() : number[...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != "0", digits.count <= 15 else {
      return nil
    }
    return Int64(digits)
  }

  /// Refuses text that is not a number.
  ///
  /// - Throws: `ValidationError`.
  public func validate() throws {
    guard digits != nil else {
      throw ValidationError("\"\(number)\" is not a number. Pass a country code and at most 15 digits in total.")
    }
  }

  /// Looks the number up.
  ///
  /// - Throws: `ExitCode`.
  public func run() async throws {
    try PackExitCode.report {
      guard let digits else { throw PackExitCode.usage }
      let entry = try PackReader.open(path: file).lookup(digits)
      let blocked = entry?.isBlocked ?? false
      if json {
        var object: [String: any Sendable] = ["number": digits, "listed": entry != nil, "blocked": blocked]
        object["label"] = entry?.label
        let data = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        PackConsole.current.output(String(decoding: data, as: UTF8.self) + "\n")
      } else if let entry {
        let label = entry.label.map { " \"\($0)\"" } ?? ""
        PackConsole.current.output("+\(digits): \(blocked ? "blocked" : "named")\(label)\n")
      } else {
        PackConsole.current.output("+\(digits): not listed\n")
      }
    }
  }
}
