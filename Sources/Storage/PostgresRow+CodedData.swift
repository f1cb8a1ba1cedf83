// SPDX-License-Identifier: Apache-2.0

import Curation
import PostgreSQL

extension PostgresRow {
  /// A code with its values. The column is JSON as text.
  /// - Throws: ``StorageError/unknownCode(_:)``, `PostgresError`.
  func coded<Coded: CodedData>(_ column: Int) throws -> Coded {
    let json = try decode(column, as: String.self)
    do {
      return try Coded(json: json)
    } catch {
      throw StorageError.unknownCode(json)
    }
  }

  /// A code with its values; nil where the column is null.
  func codedIfPresent<Coded: CodedData>(_ column: Int) throws -> Coded? {
    try decode(column, as: String?.self) == nil ? nil : coded(column)
  }

  /// The step of a publication or a background job; nil where the column is null. During an upgrade another server may
  /// run a step that this version does not know; that is also nil.
  func step(_ column: Int) throws -> JobStep? {
    try decode(column, as: String?.self).flatMap { try? JobStep(json: $0) }
  }
}
