// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftProtobuf

/// A KeywordDatabase message, written a thousand rows at a time.
///
/// Protobuf merges concatenated messages and appends repeated fields, so the parts form one message.
final class KeywordDatabaseFile {
  let database: LiveCallerIDOptions.Database
  private(set) var rows: UInt64 = 0
  private(set) var answers = ExpectedAnswers()
  private let output: OutputFile
  private var piece = LiveCallerIDKeywordDatabase()

  private static let rowsPerPiece = 1_000

  init(_ database: LiveCallerIDOptions.Database, in folder: URL) throws {
    self.database = database
    output = try OutputFile(.file(folder.appendingPathComponent("\(database.rawValue).binpb")))
  }

  func append(number: Int64, value: Data, name: String?) throws {
    let keyword = "+\(number)"
    var row = LiveCallerIDKeywordDatabaseRow()
    row.keyword = Data(keyword.utf8)
    row.value = value
    piece.rows.append(row)
    rows += 1
    answers.add(keyword: keyword, value: value, name: name)
    if piece.rows.count == Self.rowsPerPiece { try flush() }
  }

  func finish() throws {
    try flush()
    try output.commit()
  }

  private func flush() throws {
    let bytes: Data = try piece.serializedBytes()
    try bytes.withUnsafeBytes { try output.write($0) }
    piece.rows.removeAll(keepingCapacity: true)
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
