// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
  /// The CSV that SpamBlocker imports, with the header `pattern,description`.
  case spamblocker
  /// XML for SpamBlocker's XPath import, with the numbers that have left the list.
  case spamblockerXML = "spamblocker-xml"
  /// PhoneBlock's binary list: sorted records for a search in the file.
  case pbbl
  /// The CSV of Tranquille and Yet Another Call Blocker.
  case tranquille
  /// The block list of callblocker, in JSON.
  case callblocker
  /// Saracroche's JSON, with a pattern for ten or more numbers in a row.
  case saracroche
  /// Numbers separated by commas, for Fossify Phone.
  case fossify
  /// JSON with ranges of numbers, for apps that match patterns.
  case ranges
}

/// The destination of a writer's bytes.
public enum ExportOutput: Sendable {
  /// A file, replaced when the writer finishes.
  case file(URL)
  /// Standard output, written immediately.
  case standardOutput
}

public struct ExportOptions: Sendable {
  /// The prefix of a number's digits, in formats that allow a choice.
  public enum NumberPrefix: String, Sendable, CaseIterable {
    case none
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
  /// The name of the list, in formats that have one.
  public var listName = "Ringfence"
  /// The serial of the pack, in formats that have a version; 0 for none.
  public var serial: Int64 = 0
  /// The time of the pack in seconds since 1970, in formats that have a date; 0 for none.
  public var time: Int64 = 0
  /// Whether block lists (FRITZ!Box, Asterisk, FreePBX, and lists of apps) also include entries that do not block.
  public var includesIdentified = false
  /// The name of a FRITZ!Box phonebook.
  public var phonebookName = "Ringfence"
  /// The name of a number without a label, in formats that need one.
  var unnamedCaller = "Nuisance call"
  /// Maximum numbers in a FRITZ!Box phonebook: 1…100,000. The device supports a few thousand.
  public var phonebookLimit = usualPhonebookLimit
  public static let usualPhonebookLimit = 3_000
  /// The most numbers of a contact that a FRITZ!Box reads.
  package static let numbersPerContact = 9
  /// The votes of a listed number: clients have limits of their own up to 10, and the list has decided already.
  package static let listedVotes = 10
  /// The action beyond ``phonebookLimit``.
  public var overLimit: OverLimit = .fail

  /// Whether all numbers that begin with a prefix have a count of digits. Some clients read a pattern as a prefix of any
  /// further digits: where numbers of other lengths begin so too, they get single numbers instead.
  public var hasOneLength: @Sendable (_ prefix: Int64, _ digits: Int) -> Bool = { _, _ in true }

  public init() {}
}

extension ListFormat {
  /// Whether files are consecutive records; the others need a library.
  public var isRecords: Bool { self != .sqlite }

  /// - Throws: ``PackFormatError/option(_:)`` for a format without records or a limit out of range, and
  /// ``PackFormatError/file(path:operation:code:)`` if the output cannot be created.
  public func recordWriter(to output: ExportOutput, options: ExportOptions = ExportOptions()) throws -> any EntryWriter
  {
    let omitsIdentified = isOfBlockedNumbers && !options.includesIdentified
    func write(_ encoding: some RecordEncoding, gzip: Bool = false) throws -> any EntryWriter {
      try RecordWriter(encoding, to: output, omitsIdentified: omitsIdentified, gzip: gzip)
    }
    return switch self {
    case .tsv: try write(TSVEncoding())
    case .csv: try write(CSVEncoding())
    case .jsonl: try write(JSONLinesEncoding())
    case .twoGIS: try write(TwoGISEncoding())
    case .twoGISGzip: try write(TwoGISEncoding(), gzip: true)
    case .sqlite: throw PackFormatError.option("a SQLite database is no file of records")
    case .fritzbox: try write(FritzBoxEncoding(options: options))
    case .asterisk: try write(AsteriskEncoding(options: options))
    case .freepbx: try write(FreePBXEncoding(options: options))
    case .spamblocker: try write(SpamBlockerCSVEncoding(options: options))
    case .spamblockerXML: try write(SpamBlockerXMLEncoding(options: options))
    case .pbbl: try write(PhoneBlockBinaryFormat(options: options))
    case .tranquille: try write(TranquilleEncoding(options: options))
    case .callblocker: try write(CallblockerEncoding(options: options))
    case .saracroche: try write(SaracrocheEncoding(options: options))
    case .fossify: try write(FossifyEncoding(options: options))
    case .ranges: try write(RangesEncoding(options: options))
    }
  }
}

extension ListFormat {
  /// Extensions differ, so that all formats can be in one folder.
  public var fileExtension: String {
    switch self {
    case .tsv: "tsv"
    case .csv: "csv"
    case .jsonl: "jsonl"
    case .twoGIS: "2gis"
    case .twoGISGzip: "2gis.gz"
    case .sqlite: "sqlite"
    case .fritzbox: "fritzbox.xml"
    case .asterisk: "asterisk.txt"
    case .freepbx: "freepbx.csv"
    case .spamblocker: "spamblocker.csv"
    case .spamblockerXML: "spamblocker.xml"
    case .pbbl: "pbbl"
    case .tranquille: "tranquille.csv"
    case .callblocker: "callblocker.json"
    case .saracroche: "saracroche.json"
    case .fossify: "fossify.txt"
    case .ranges: "ranges.json"
    }
  }

  /// Whether a list has the numbers to block alone, unless ``ExportOptions/includesIdentified`` is set.
  public var isOfBlockedNumbers: Bool {
    switch self {
    case .tsv, .csv, .jsonl, .twoGIS, .twoGISGzip, .sqlite: false
    case .fritzbox, .asterisk, .freepbx, .spamblocker, .spamblockerXML, .pbbl, .tranquille, .callblocker, .saracroche,
      .fossify, .ranges:
      true
    }
  }

  /// The most numbers that the programs of this format can use; nil if there is no known limit.
  public var maximumEntries: Int? {
    switch self {
    case .fritzbox: ExportOptions.usualPhonebookLimit
    case .fossify: 5_000
    case .callblocker: 50_000
    default: nil
    }
  }

  /// Whether a list may consist of the changes since an earlier one.
  public var hasChanges: Bool { self == .spamblocker || self == .spamblockerXML }

  public var isCompressed: Bool { self == .twoGISGzip }
}
