public import Foundation

/// The formats a list can be written in, named as on the command line.
public enum ListFormat: String, Sendable, CaseIterable {
  /// `number⇥label⇥block` lines; a bare number blocks, a label without `block` only names.
  case tsv
  /// RFC 4180 with a header, safe to open in a spreadsheet.
  case csv
  /// One JSON object a line.
  case jsonl
  /// Records of a 16-bit length, a 64-bit number and a UTF-8 name, little-endian.
  case twoGIS = "2gis"
  /// The same records through gzip.
  case twoGISGzip = "2gis-gz"
  /// A SQLite 3 database with the table `numbers`.
  case sqlite
  /// A phonebook of the FRITZ!Box.
  case fritzbox
  /// `database put blacklist` lines for Asterisk's console.
  case asterisk
  /// The CSV that FreePBX's blacklist module imports.
  case freepbx
}

/// Where a writer's bytes go.
public enum ExportOutput: Sendable {
  /// A file that is replaced as a whole when the writer finishes.
  case file(URL)
  /// Standard output, written as it comes.
  case standardOutput
}

/// What a format leaves to the one who exports.
public struct ExportOptions: Sendable, Equatable {
  /// What stands before a number's digits, where the format does not fix it.
  public enum NumberPrefix: String, Sendable, CaseIterable {
    /// The digits alone.
    case none
    /// The plus of E.164.
    case plus
    /// The international prefix `00`.
    case zeros

    var text: String {
      switch self {
      case .none: ""
      case .plus: "+"
      case .zeros: "00"
      }
    }
  }

  /// What happens when a format's limit of entries is reached.
  public enum OverLimit: String, Sendable, CaseIterable {
    /// The export fails and names the first entry beyond the limit.
    case fail
    /// The first entries are written and the others counted.
    case truncate
  }

  /// Asterisk and FreePBX match the caller's number exactly as the trunk delivers it: this makes it so.
  public var numberPrefix: NumberPrefix = .none
  /// Block lists (FRITZ!Box, Asterisk, FreePBX) take only entries that block, unless this is true.
  public var includesIdentified = false
  /// The name of a FRITZ!Box phonebook.
  public var phonebookName = "Ringfence"
  /// What a FRITZ!Box shows for a number without a label.
  public var unnamedCaller = "Nuisance call"
  /// Numbers in a FRITZ!Box phonebook: 1…100,000. The box bears a few thousand.
  public var phonebookLimit = 3_000
  /// What happens beyond ``phonebookLimit``.
  public var overLimit: OverLimit = .fail

  /// The defaults.
  public init() {}
}

extension ListFormat {
  /// Opens a writer of this format.
  ///
  /// - Throws: ``PackFormatError/option(_:)`` for SQLite on standard output or a limit out of range, and
  ///   ``PackFormatError/file(path:operation:code:)`` when the output cannot be created.
  public func writer(to output: ExportOutput, options: ExportOptions = ExportOptions()) throws -> any EntryWriter {
    switch self {
    case .tsv: try RecordWriter(TSVEncoding(), to: output)
    case .csv: try RecordWriter(CSVEncoding(), to: output)
    case .jsonl: try RecordWriter(JSONLinesEncoding(), to: output)
    case .twoGIS: try RecordWriter(TwoGISEncoding(), to: output)
    case .twoGISGzip: try RecordWriter(TwoGISEncoding(), to: output, gzip: true)
    case .sqlite: try SQLiteWriter(to: output)
    case .fritzbox: try RecordWriter(FritzBoxEncoding(options: options), to: output)
    case .asterisk: try RecordWriter(AsteriskEncoding(options: options), to: output)
    case .freepbx: try RecordWriter(FreePBXEncoding(options: options), to: output)
    }
  }
}
