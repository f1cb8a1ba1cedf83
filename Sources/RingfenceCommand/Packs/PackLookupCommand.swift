public import ArgumentParser
internal import CallerPack
internal import Foundation

/// `ringfence pack lookup`: what a pack says of a number.
public struct PackLookupCommand: AsyncParsableCommand {
  /// The command's name and its help.
  public static let configuration = CommandConfiguration(
    commandName: "lookup", abstract: "Say what a pack holds for a number.",
    discussion: "A number that is not in the pack is an answer too: the exit code is 0.")

  @Argument(help: "The pack.") var file: String
  @Argument(help: "The number with its country code, with or without a plus.") var number: String
  @Flag(help: "Answer as one JSON object.") var json = false

  /// A command to be parsed.
  public init() {}

  private var digits: Int64? {
    let digits = number.hasPrefix("+") ? number.dropFirst() : number[...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != "0", digits.count <= 15 else {
      return nil
    }
    return Int64(digits)
  }

  /// Refuses what is no number.
  ///
  /// - Throws: `ValidationError`.
  public func validate() throws {
    guard digits != nil else {
      throw ValidationError("A number has a country code and 15 digits at most, unlike \"\(number)\".")
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
