// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
internal import CallerPack
internal import Foundation
internal import PackFormats

/// `ringfence pack dump`: writes a pack in another format.
public struct PackDumpCommand: AsyncParsableCommand {
  /// The command's name and its help.
  public static let configuration = CommandConfiguration(
    commandName: "dump", abstract: "Write a pack in another format.",
    discussion: """
      Formats of FRITZ!Box, Asterisk and FreePBX are block lists. They leave out entries that only identify a caller, \
      unless --include-identified is set. The pack is verified first. The file is written completely or not at all.
      """)

  @Argument(help: "Pack to read.") var file: String
  @Option(help: "Format to write.") var format: ListFormat
  @Option(help: .value("file", "File to write. Default: standard output.")) var out: String?
  @Option(help: .value("prefix", "Prefix of numbers for Asterisk and FreePBX, as the trunk delivers them."))
  var numberPrefix: ExportOptions.NumberPrefix = .none
  @Flag(help: "Include entries that only identify a caller in a block list.") var includeIdentified = false
  @Option(help: .value("name", "Name of the FRITZ!Box phonebook.")) var phonebookName = ExportOptions().phonebookName
  @Option(help: .value("numbers", "Maximum numbers of a FRITZ!Box phonebook, 1 to 100000."))
  var phonebookLimit = ExportOptions().phonebookLimit
  @Option(help: .value("action", "Action if the pack exceeds this limit."))
  var overLimit: ExportOptions.OverLimit = .fail

  /// Creates the command.
  public init() {}

  /// Refuses invalid options before any file is opened.
  ///
  /// - Throws: `ValidationError`.
  public func validate() throws {
    guard format != .sqlite || out != nil else {
      throw ValidationError("A SQLite database cannot be written to standard output. Pass a file name with --out.")
    }
    guard (1...100_000).contains(phonebookLimit) else {
      throw ValidationError("--phonebook-limit is \(phonebookLimit). Use 1 to 100000.")
    }
  }

  /// Writes the pack in the other format.
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
      try reader.verify()
      let output: ExportOutput = out.map { .file(URL(fileURLWithPath: $0)) } ?? .standardOutput
      let summary = try PackExport.copy(reader, into: format.writer(to: output, options: options))
      if let out { PackConsole.current.output("\(out): \(summary.written) entries\n") }
    }
  }
}
