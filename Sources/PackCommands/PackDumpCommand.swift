// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
package import CallerPack
public import PackFormats
import PhoneNumbers

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `dump`, in the formats of ``PackFormats``.
package struct PackDumpCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "dump", abstract: "Write a pack in another format.", discussion: PackDumpOptions.discussion)

  /// A format that is a file of consecutive records.
  private struct RecordFormat: ExpressibleByArgument {
    let format: ListFormat

    init?(argument: String) {
      guard let format = ListFormat(rawValue: argument), format.isRecords else { return nil }
      self.format = format
    }

    static var allValueStrings: [String] { ListFormat.allCases.filter(\.isRecords).map(\.rawValue) }
  }

  @OptionGroup var options: PackDumpOptions
  @Option(help: "Format to write.") private var format: RecordFormat

  package init() {}

  package func run() async throws {
    try PackExitCode.report { try options.dump { try format.format.recordWriter(to: $0, options: $1) } }
  }
}

/// The pack of a dump, and everything about its target but the format.
package struct PackDumpOptions: ParsableArguments {
  package static let discussion = """
    Formats of FRITZ!Box, Asterisk and FreePBX are block lists. They leave out entries that only identify a caller, \
    unless --include-identified is set. The pack is verified first. The file is written completely or not at all.
    """

  @Argument(help: "Pack to read.") var file: String
  @Option(help: .value("file", "File to write. Default: standard output.")) package var out: String?
  @Option(help: .value("prefix", "Prefix of numbers for Asterisk and FreePBX, as the trunk delivers them."))
  var numberPrefix: ExportOptions.NumberPrefix = .none
  @Flag(help: "Include entries that only identify a caller in a block list.") var includeIdentified = false
  @Option(help: .value("name", "Name of the FRITZ!Box phonebook.")) var phonebookName = ExportOptions().phonebookName
  @Option(help: .value("numbers", "Maximum numbers of a FRITZ!Box phonebook, 1 to 100000."))
  var phonebookLimit = ExportOptions().phonebookLimit
  @Option(help: .value("action", "Action if the pack exceeds this limit."))
  var overLimit: ExportOptions.OverLimit = .fail

  package init() {}

  package func validate() throws { try check(phonebookLimit, "--phonebook-limit", in: 1...100_000) }

  /// - Parameter open: opens the writer of the format.
  package func dump(_ open: (ExportOutput, ExportOptions) throws -> any EntryWriter) throws {
    var options = ExportOptions()
    options.numberPrefix = numberPrefix
    options.includesIdentified = includeIdentified
    options.phonebookName = phonebookName
    options.phonebookLimit = phonebookLimit
    options.overLimit = overLimit
    options.hasOneLength = { NumberingPlan.lengths(of: $0) == [$1] }
    let reader = try PackReader.open(path: file)
    try reader.verify()
    let output: ExportOutput = out.map { .file(URL(fileURLWithPath: $0)) } ?? .standardOutput
    let summary = try PackExport.copy(reader, into: open(output, options))
    if let out { PackConsole.current.output("\(out): \(count(summary.written, "entry", "entries"))\n") }
  }
}

extension ExportOptions.NumberPrefix: ExpressibleByArgument {}
extension ExportOptions.OverLimit: ExpressibleByArgument {}

/// Copies a pack's entries into a writer of another format.
package enum PackExport {
  package static func copy(_ reader: PackReader, into writer: any EntryWriter) throws -> ExportSummary {
    let console = PackConsole.current
    let total = UInt64(reader.header.entryCount)
    var (done, said): (UInt64, UInt64) = (0, 0)
    try reader.forEachRange { numbers, roles, label in
      try writer.append(
        ListEntry(
          number: numbers.lowerBound, last: numbers.upperBound,
          label: label.isEmpty ? nil : String(decoding: label, as: UTF8.self), blocks: roles.contains(.blocks)))
      done += UInt64(numbers.count)
      guard done >= said + 10_000 else { return }
      said = done
      console.progress(done, total, .items("numbers"))
    }
    let summary = try writer.finish()
    console.progress(done, total, .items("numbers"))
    remark(summary)
    return summary
  }

  /// Prints notes about entries that the format could not represent.
  private static func remark(_ summary: ExportSummary) {
    let remarks = PackConsole.current.remarks
    func remark(_ number: UInt64, _ one: String, _ other: String) {
      if number > 0 { remarks("note: \(count(number, one, other))\n") }
    }
    remark(
      summary.altered, "label was changed to fit the format", "labels were changed to fit the format")
    remark(summary.overLimit, "entry is beyond the format's limit", "entries are beyond the format's limit")
    remark(summary.unsuitable, "number is too short for the format", "numbers are too short for the format")
    remark(summary.notBlocking, "entry does not block and was left out", "entries do not block and were left out")
  }
}
