// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One migration: a file named `20261121120000_name.sql`, whose first line is `-- expand` or `-- contract`.
///
/// With `, concurrently` after that word the script runs outside a transaction. It is one statement, which can be
/// repeated: `CREATE INDEX CONCURRENTLY IF NOT EXISTS …`.
struct MigrationFile: Sendable {
  let version: Int64
  let name: String
  let kind: PostgresMigration.Kind
  /// Whether the script runs outside a transaction.
  let isConcurrent: Bool
  let script: String

  /// Reads every `.sql` file of a folder, in the order of versions.
  ///
  /// - Throws: `PostgresMigrationError` of kind `unreadable`, `misnamed`, `duplicate` or `undeclared`.
  static func all(in folder: String) throws -> [MigrationFile] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      throw PostgresMigrationError.unreadable(file: "the folder of migrations")
    }
    var files: [MigrationFile] = []
    for fileName in names.sorted() where fileName.hasSuffix(".sql") && !fileName.hasPrefix(".") {
      guard let match = fileName.wholeMatch(of: /([0-9]{14})_([a-z0-9_]+)\.sql/), let version = Int64(match.1) else {
        throw PostgresMigrationError.misnamed(file: fileName)
      }
      if files.last?.version == version { throw PostgresMigrationError.duplicate(version: version) }
      guard let data = FileManager.default.contents(atPath: folder + "/" + fileName),
        let script = String(validating: data, as: UTF8.self), !script.utf8.contains(0)
      else { throw PostgresMigrationError.unreadable(file: fileName) }
      guard let first = script.split(separator: "\n", maxSplits: 1).first,
        let declared = first.wholeMatch(of: /-- (expand|contract)(, concurrently)? */),
        let kind = PostgresMigration.Kind(rawValue: String(declared.1))
      else { throw PostgresMigrationError.undeclared(file: fileName) }
      files.append(
        MigrationFile(
          version: version, name: String(match.2), kind: kind, isConcurrent: declared.2 != nil, script: script))
    }
    return files
  }
}
