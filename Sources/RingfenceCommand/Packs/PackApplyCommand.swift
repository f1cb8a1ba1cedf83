// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
internal import CallerPack

/// `ringfence pack apply`: creates a pack from its predecessor and a delta.
public struct PackApplyCommand: AsyncParsableCommand {
  /// The command's name and its help.
  public static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Apply a delta to its base pack.",
    discussion: "A delta of another pack is refused before a file is written.")

  @Argument(help: "Base pack of the delta.") var base: String
  @Argument(help: "Delta.") var delta: String
  @Option(help: .value("file", "Pack to write.")) var out: String

  /// Creates the command.
  public init() {}

  /// Writes the result.
  ///
  /// - Throws: `ExitCode`.
  public func run() async throws {
    try PackExitCode.report {
      let summary = try PackDelta.open(path: delta).apply(base: PackReader.open(path: base), to: out)
      PackConsole.current.output(
        "\(out): \(summary.entries) entries, \(summary.bytes) bytes, SHA-256 \(summary.sha256.hex)\n")
    }
  }
}
