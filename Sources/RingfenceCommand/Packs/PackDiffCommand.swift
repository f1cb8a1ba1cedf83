// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
internal import CallerPack
internal import CallerPackBuilder

/// `ringfence pack diff`: creates the delta between two packs.
public struct PackDiffCommand: AsyncParsableCommand {
  /// The command's name and its help.
  public static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Write the delta between two packs.")

  @Argument(help: "Pack that clients have.") var base: String
  @Argument(help: "Pack that clients get.") var result: String
  @Option(help: .value("file", "Delta to write.")) var out: String

  /// Creates the command.
  public init() {}

  /// Writes the delta.
  ///
  /// - Throws: `ExitCode`.
  public func run() async throws {
    try PackExitCode.report {
      let summary = try DeltaBuilder.build(
        from: PackReader.open(path: base), to: PackReader.open(path: result), out: out)
      PackConsole.current.output(
        "\(out): \(summary.entries) changes, \(summary.bytes) bytes, SHA-256 \(summary.sha256.hex)\n")
    }
  }
}
