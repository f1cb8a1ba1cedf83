#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One migration: a file named `20261121120000_name.sql`.
struct MigrationFile: Sendable {
  let version: Int64
  let name: String
  let script: String

  /// Reads every `.sql` file of a folder, in the order of versions.
  ///
  /// - Throws: `PostgresMigrationError` of kind `unreadable`, `misnamed` or `duplicate`.
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
      files.append(MigrationFile(version: version, name: String(match.2), script: script))
    }
    return files
  }
}
