// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PackFormats

/// Writes the input files of Apple's `PIRProcessDatabase` for a Live Caller ID Lookup service.
///
/// The folder gets `block.binpb` and `identity.binpb` (KeywordDatabase messages), `block.json` and `identity.json` (the
/// tool's configurations, with paths relative to the folder), and `expected.tsv` (`use case⇥keyword⇥value in
/// hexadecimal⇥name`): at most 1,000 responses of each database and one of a missing number, to check a running
/// service.
public final class LiveCallerIDWriter: EntryWriter {
  private let folder: URL
  private let options: LiveCallerIDOptions
  private var rules = EntryRules()
  private var summary = ExportSummary()
  private var databases: [KeywordDatabaseFile] = []
  private var needsTestRow: Bool

  /// Opens the databases in a folder, which is created if it is missing.
  ///
  /// - Throws: ``PackFormatError/option(_:)`` for an invalid option, and file errors.
  public init(folder: URL, options: LiveCallerIDOptions) throws {
    try Self.check(options)
    self.folder = folder
    self.options = options
    needsTestRow = options.includesAppleTestRow
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw PackFormatError.file(path: folder.path, operation: "create", code: Int32((error as NSError).code))
    }
    for database in LiveCallerIDOptions.Database.allCases where options.databases.contains(database) {
      databases.append(try KeywordDatabaseFile(database, in: folder))
    }
  }

  /// Adds the next entry to the databases it belongs in.
  public func append(_ entry: ListEntry) throws {
    try rules.admit(entry)
    for number in entry.number...entry.last {
      try add(ListEntry(number: number, label: entry.label, blocks: entry.blocks))
    }
  }

  private func add(_ entry: ListEntry) throws {
    if needsTestRow, entry.number >= LiveCallerIDOptions.appleTestNumber { try addTestRow() }
    var wasWritten = false
    for file in databases {
      guard let value = try value(of: entry, in: file.database) else { continue }
      wasWritten = true
      let isTestRow = options.includesAppleTestRow && entry.number == LiveCallerIDOptions.appleTestNumber
      // Apple's check expects its own name, and the tool refuses a second row of the number.
      if isTestRow, file.database == .identity { continue }
      try file.append(number: entry.number, value: value, name: file.database == .identity ? entry.label : nil)
    }
    summary.count(wasWritten ? .written : .notBlocking)
  }

  /// Writes the configurations and the table of responses, and renames all files.
  ///
  /// - Throws: ``PackFormatError/empty(what:)`` if a selected database has no row: the tool would write nothing for it
  ///   and report success.
  public func finish() throws -> ExportSummary {
    if needsTestRow { try addTestRow() }
    for file in databases where file.rows == 0 {
      throw PackFormatError.empty(what: "the \(file.database.rawValue) database")
    }
    let answers = try OutputFile(.file(folder.appendingPathComponent("expected.tsv")))
    var table: [UInt8] = []
    var configurations: [OutputFile] = []
    for file in databases {
      table += file.answers.table(useCase: "\(options.extensionBundleID).\(file.database.rawValue)")
      let name = folder.appendingPathComponent("\(file.database.rawValue).json")
      let configuration = try OutputFile(.file(name))
      try ProcessDatabaseConfiguration(database: file.database, options: options).encoded().withUnsafeBytes {
        try configuration.write($0)
      }
      configurations.append(configuration)
    }
    try table.withUnsafeBytes { try answers.write($0) }
    for file in databases { try file.finish() }
    for configuration in configurations { try configuration.commit() }
    try answers.commit()
    return summary
  }

  private func addTestRow() throws {
    needsTestRow = false
    let name = LiveCallerIDOptions.appleTestName
    let row = ListEntry(number: LiveCallerIDOptions.appleTestNumber, label: name, blocks: false)
    for file in databases where file.database == .identity {
      guard let value = try value(of: row, in: .identity) else { continue }
      try file.append(number: row.number, value: value, name: name)
    }
  }

  private func value(of entry: ListEntry, in database: LiveCallerIDOptions.Database) throws -> Data? {
    switch database {
    case .block: return entry.blocks ? Data([1]) : nil
    case .identity:
      guard let label = entry.label else { return nil }
      var identity = ProtobufMessage()
      identity.add(1, label.utf8)
      identity.add(3, UInt64(options.cacheExpiryMinutes))
      identity.add(4, options.category.wire)
      let value = Data(identity.bytes)
      guard value.count <= 65_535 else {
        throw PackFormatError.entry(number: entry.number, rule: "an identity has at most 65,535 bytes")
      }
      return value
    }
  }

  private static func check(_ options: LiveCallerIDOptions) throws {
    let id = options.extensionBundleID
    let isBundleID = id.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || $0 == 0x2D || $0 == 0x2E
    }
    guard !id.isEmpty, isBundleID else {
      throw PackFormatError.option("a bundle id has letters, digits, hyphens and dots, unlike \"\(id)\"")
    }
    guard !options.databases.isEmpty else { throw PackFormatError.option("no database was asked for") }
    guard !options.includesAppleTestRow || options.databases.contains(.identity) else {
      throw PackFormatError.option("Apple's test row needs the identity database")
    }
    guard (1...10_000).contains(options.shardCount) else {
      throw PackFormatError.option("the number of shards lies between 1 and 10,000, not \(options.shardCount)")
    }
    guard options.bucketCount ?? 1 >= 1, options.trialsPerShard >= 0 else {
      throw PackFormatError.option("buckets are at least 1 and trials at least 0")
    }
  }
}

extension LiveCallerIDOptions.Category {
  /// The value in a message.
  var wire: UInt64 {
    switch self {
    case .unspecified: 0
    case .person: 1
    case .business: 2
    }
  }
}

/// A KeywordDatabase message, written in pieces: a message has no head, so its fields are written as they come.
final class KeywordDatabaseFile {
  let database: LiveCallerIDOptions.Database
  private(set) var rows: UInt64 = 0
  private(set) var answers = ExpectedAnswers()
  private let output: OutputFile
  private var piece = ProtobufMessage()

  private static let bytesPerPiece = 65_536

  init(_ database: LiveCallerIDOptions.Database, in folder: URL) throws {
    self.database = database
    output = try OutputFile(.file(folder.appendingPathComponent("\(database.rawValue).binpb")))
  }

  func append(number: Int64, value: Data, name: String?) throws {
    let keyword = "+\(number)"
    var row = ProtobufMessage()
    row.add(1, keyword.utf8)
    row.add(2, value)
    piece.add(1, row.bytes)
    rows += 1
    answers.add(keyword: keyword, value: value, name: name)
    if piece.bytes.count >= Self.bytesPerPiece { try flush() }
  }

  func finish() throws {
    try flush()
    try output.commit()
  }

  private func flush() throws {
    try piece.bytes.withUnsafeBytes { try output.write($0) }
    piece = ProtobufMessage()
  }
}

/// An even sample of a database's rows, to check the responses of a running service.
///
/// Rows are kept at a stride that doubles when 1,000 are stored, so memory is bounded and the sample depends only on
/// the rows.
struct ExpectedAnswers {
  private var kept: [(keyword: String, value: Data, name: String)] = []
  private var stride: UInt64 = 1
  private var count: UInt64 = 0

  static let limit = 1_000

  mutating func add(keyword: String, value: Data, name: String?) {
    defer { count += 1 }
    guard count % stride == 0 else { return }
    if kept.count == Self.limit {
      kept = kept.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
      stride *= 2
      guard count % stride == 0 else { return }
    }
    kept.append((keyword, value, TextCells.oneLine(name ?? "").text))
  }

  /// `use case⇥keyword⇥value in hexadecimal⇥name` lines. The last keyword cannot be in any list, so it has no value and
  /// its response is "not found".
  func table(useCase: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for row in kept {
      let value = row.value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      bytes.append("\(useCase)\t\(row.keyword)\t\(value)\t\(row.name)\n")
    }
    bytes.append("\(useCase)\t+0\t\t\n")
    return bytes
  }
}
