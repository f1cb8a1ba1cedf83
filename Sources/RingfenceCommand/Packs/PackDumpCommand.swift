public import ArgumentParser
internal import CallerPack
internal import Foundation
internal import PackFormats

/// `ringfence pack dump`: a pack in another format.
public struct PackDumpCommand: AsyncParsableCommand {
  /// The command's name and its help.
  public static let configuration = CommandConfiguration(
    commandName: "dump", abstract: "Write a pack in another format.",
    discussion: """
      FRITZ!Box, Asterisk and FreePBX take block lists: entries that only name a caller are left out unless \
      --include-identified is given. A file appears as a whole or not at all.
      """)

  @Argument(help: "The pack.") var file: String
  @Option(help: "The format.") var format: ListFormat
  @Option(help: "The file to write; standard output without it.") var out: String?
  @Option(help: "What stands before a number for Asterisk and FreePBX, as the trunk delivers it.")
  var numberPrefix: ExportOptions.NumberPrefix = .none
  @Flag(help: "Put entries on a block list that only name a caller.") var includeIdentified = false
  @Option(help: "The name of a FRITZ!Box phonebook.") var phonebookName = ExportOptions().phonebookName
  @Option(help: "The most numbers in a FRITZ!Box phonebook: 1 to 100,000.")
  var phonebookLimit = ExportOptions().phonebookLimit
  @Option(help: "What happens beyond that limit.") var overLimit: ExportOptions.OverLimit = .fail

  /// A command to be parsed.
  public init() {}

  /// Refuses what cannot work before a file is touched.
  ///
  /// - Throws: `ValidationError`.
  public func validate() throws {
    guard format != .sqlite || out != nil else { throw ValidationError("A SQLite database needs --out.") }
    guard (1...100_000).contains(phonebookLimit) else {
      throw ValidationError("--phonebook-limit lies between 1 and 100,000.")
    }
  }

  /// Writes the other format.
  ///
  /// - Throws: `ExitCode`.
  public func run() async throws {
    try PackExitCode.report {
      var options = ExportOptions()
      options.numberPrefix = numberPrefix
      options.includesIdentified = includeIdentified
      options.phonebookName = phonebookName
      options.phonebookLimit = phonebookLimit
      options.overLimit = overLimit
      let reader = try PackReader.open(path: file)
      let output: ExportOutput = out.map { .file(URL(fileURLWithPath: $0)) } ?? .standardOutput
      let summary = try PackExport.copy(reader, into: format.writer(to: output, options: options))
      if let out { PackConsole.current.output("\(out): \(summary.written) entries\n") }
    }
  }
}
