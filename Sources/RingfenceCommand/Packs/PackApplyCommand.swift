public import ArgumentParser
internal import CallerPack

/// `ringfence pack apply`: a pack from the one before it and a delta.
public struct PackApplyCommand: AsyncParsableCommand {
  /// The command's name and its help.
  public static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Apply a delta to its base, bit for bit.",
    discussion: "A delta that was made for another pack is refused before anything is written.")

  @Argument(help: "The pack that the delta was made from.") var base: String
  @Argument(help: "The delta.") var delta: String
  @Option(help: "The pack to write.") var out: String

  /// A command to be parsed.
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
