// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The formats of a list, named as on the command line.
public enum ListFormat: String, Sendable, CaseIterable {
  /// `number⇥label⇥block` lines; a bare number blocks, a label without `block` only identifies.
  case tsv
  /// RFC 4180 with a header, safe to open in a spreadsheet.
  case csv
  /// One JSON object in each line.
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

/// The destination of a writer's bytes.
public enum ExportOutput: Sendable {
  /// A file, replaced when the writer finishes.
  case file(URL)
  /// Standard output, written immediately.
  case standardOutput
}

/// Options of an export.
public struct ExportOptions: Sendable, Equatable {
  /// The prefix of a number's digits, in formats that allow a choice.
  public enum NumberPrefix: String, Sendable, CaseIterable {
    /// No prefix.
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

  /// The action when a format's limit is reached.
  public enum OverLimit: String, Sendable, CaseIterable {
    /// The export fails and names the first entry beyond the limit.
    case fail
    /// The first entries are written and the others are counted.
    case truncate
  }

  /// Asterisk and FreePBX compare the number exactly as the trunk delivers it; this must match the trunk's format.
  public var numberPrefix: NumberPrefix = .none
  /// Whether block lists (FRITZ!Box, Asterisk, FreePBX) also include entries that do not block.
  public var includesIdentified = false
  /// The name of a FRITZ!Box phonebook.
  public var phonebookName = "Ringfence"
  /// The name that a FRITZ!Box shows for a number without a label.
  public var unnamedCaller = "Nuisance call"
  /// Maximum numbers in a FRITZ!Box phonebook: 1…100,000. The device supports a few thousand.
  public var phonebookLimit = 3_000
  /// The action beyond ``phonebookLimit``.
  public var overLimit: OverLimit = .fail

  /// The defaults.
  public init() {}
}

extension ListFormat {
  /// Opens a writer of this format.
  ///
  /// - Throws: ``PackFormatError/option(_:)`` for SQLite on standard output or a limit out of range, and
  ///   ``PackFormatError/file(path:operation:code:)`` if the output cannot be created.
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
