// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SwiftProtobuf

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
