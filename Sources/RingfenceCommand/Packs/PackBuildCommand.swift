public import ArgumentParser
internal import CallerPack
internal import CallerPackBuilder

/// `ringfence pack build`: a pack from lines of text.
public struct PackBuildCommand: AsyncParsableCommand {
  /// The command's name and its help.
  public static let configuration = CommandConfiguration(
    commandName: "build", abstract: "Build a pack from lines of number⇥label.",
    discussion: """
      The list ascends by number. A number alone blocks; a label identifies; a third column "block" behind a label \
      does both, in a pack of that kind. The same list and options give the same bytes.
      """)

  @Option(name: .customLong("in"), help: "The list, or - for standard input.") var input: String
  @Option(help: "The pack to write.") var out: String
  @Option(help: "What the entries do: blocking, identification or both.") var kind: PackKind
  // No default value: help would show its raw value, a number.
  @Option(help: "What a reader may need: lean (400 KB) or standard (1.25 MB), which is the default.")
  var profile: PackProfile?
  @Option(help: "The region's name: at most 23 of A-Z a-z 0-9 . _ -") var region = ""
  @Option(help: "The pack's serial number.") var serial: UInt64 = 0
  @Option(help: "The serial number of the pack before it.") var baseSerial: UInt64 = 0
  @Option(help: "When the pack was made, in seconds since 1970; 0 says nothing.") var createdAt: Int64 = 0
  @Option(help: "The most additions, blocking and identification counted apart.")
  var maximum = PackLimits.callDirectoryEntries
  @Option(help: "A pack whose dictionary is taken over, so that a delta from it is small.") var dictionaryOf: String?

  /// A command to be parsed.
  public init() {}

  /// Refuses what no pack can have before a file is touched.
  ///
  /// - Throws: `ValidationError`.
  public func validate() throws {
    guard region.utf8.count <= PackLimits.regionBytes, region.utf8.allSatisfy(PackHeader.isRegionByte) else {
      throw ValidationError("--region has at most \(PackLimits.regionBytes) of A-Z a-z 0-9 . _ -")
    }
    guard (1...PackLimits.entries).contains(maximum) else {
      throw ValidationError("--maximum lies between 1 and \(PackLimits.entries).")
    }
    guard out != "-" else { throw ValidationError("A pack is written to a file, not to standard output.") }
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
