// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
internal import CallerPack
internal import CallerPackBuilder

/// `ringfence pack build`: creates a pack from lines of text.
public struct PackBuildCommand: AsyncParsableCommand {
  /// The command's name and its help.
  public static let configuration = CommandConfiguration(
    commandName: "build", abstract: "Build a pack from lines of number⇥label.",
    discussion: """
      The list must be in ascending order. A number without a label blocks, a number with a label identifies. In a pack \
      of kind both, a third column "block" does both. The same list and options give the same bytes.
      """)

  @Option(name: .customLong("in"), help: .value("file", "List to read, or - for standard input.")) var input: String
  @Option(help: .value("file", "Pack to write.")) var out: String
  @Option(help: "Kind of the pack: blocking, identification or both.") var kind: PackKind
  // No default value: help would show its raw value, a number.
  @Option(help: "Memory that a reader may need: lean (400 KB) or standard (1.25 MB, the default).")
  var profile: PackProfile?
  @Option(help: "Name of the region: at most 23 characters of A-Z a-z 0-9 . _ -") var region = ""
  @Option(help: "Serial of the pack.") var serial: UInt64 = 0
  @Option(help: .value("serial", "Serial of the previous pack.")) var baseSerial: UInt64 = 0
  @Option(help: .value("seconds", "Time of the pack in seconds since 1970; 0 for none.")) var createdAt: Int64 = 0
  @Option(help: .value("entries", "Maximum entries; an entry that blocks and identifies counts twice."))
  var maximum = PackLimits.callDirectoryEntries
  @Option(help: .value("file", "Pack whose dictionary is reused, so that a delta from it is small."))
  var dictionaryOf: String?

  /// Creates the command.
  public init() {}

  /// Refuses invalid options before any file is opened.
  ///
  /// - Throws: `ValidationError`.
  public func validate() throws {
    guard region.utf8.count <= PackLimits.regionBytes, region.utf8.allSatisfy(PackHeader.isRegionByte) else {
      throw ValidationError(
        "--region \"\(region)\" is not valid. Use at most \(PackLimits.regionBytes) characters of A-Z a-z 0-9 . _ -")
    }
    guard (1...PackLimits.entries).contains(maximum) else {
      throw ValidationError("--maximum is \(maximum). Use 1 to \(PackLimits.entries).")
    }
    guard out != "-" else {
      throw ValidationError("A pack cannot be written to standard output. Pass a file name with --out.")
    }
  }

  /// Builds the pack.
  ///
  /// - Throws: `ExitCode`.
  public func run() async throws {
    try PackExitCode.report {
      var lines = try ListLines(path: input)
      defer { lines.close() }
      let dictionary = try dictionaryOf.map { try PackReader.open(path: $0) }
      let options = PackWriter.Options(
        kind: kind, region: region, serial: serial, baseSerial: baseSerial, createdAt: createdAt,
        profile: profile ?? .standard,
        maximumEntries: maximum, dictionary: dictionary)
      let writer = try PackWriter(path: out, options: options)
      let console = PackConsole.current
      while try lines.next({ try writer.append($0, roles: $1, labelUTF8: $2) }) {
        if lines.line % 10_000 == 0 { console.progress(lines.done, lines.total) }
      }
      let summary = try writer.finish()
      console.progress(lines.done, lines.total)
      if summary.entries == 0 {
        let source = input == "-" ? "Standard input" : input
        console.remarks("warning: \(source) has no entries, so \(out) is an empty pack.\n")
      }
      console.output("\(out): \(summary.entries) entries, \(summary.bytes) bytes, SHA-256 \(summary.sha256.hex)\n")
    }
  }
}
