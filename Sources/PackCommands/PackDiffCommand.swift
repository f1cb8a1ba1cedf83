// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import CallerPack
import CallerPackBuilder

/// `ringfence pack diff`: creates the delta between two packs.
package struct PackDiffCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Write the delta between two packs.")

  @Argument(help: "Pack that clients have.") var base: String
  @Argument(help: "Pack that clients get.") var result: String
  @Option(help: .value("file", "Delta to write.")) var out: String

  package init() {}

  package func run() async throws {
    try PackExitCode.report {
      let summary = try DeltaBuilder.build(
        from: PackReader.open(path: base), to: PackReader.open(path: result), out: out)
      let changes = count(summary.entries, "change")
      PackConsole.current.output(
        "\(out): \(changes), \(summary.bytes) bytes, SHA-256 \(summary.sha256.hex)\n")
    }
  }
}

/// `ringfence pack apply`: creates a pack from its predecessor and a delta.
package struct PackApplyCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Apply a delta to its base pack.",
    discussion: "A delta of another pack is refused before a file is written.")

  @Argument(help: "Base pack of the delta.") var base: String
  @Argument(help: "Delta.") var delta: String
  @Option(help: .value("file", "Pack to write.")) var out: String

  package init() {}

  package func run() async throws {
    try PackExitCode.report {
      let summary = try PackDelta.open(path: delta).apply(base: PackReader.open(path: base), to: out)
      let entries = count(summary.entries, "entry", "entries")
      PackConsole.current.output(
        "\(out): \(entries), \(summary.bytes) bytes, SHA-256 \(summary.sha256.hex)\n")
    }
  }
}
