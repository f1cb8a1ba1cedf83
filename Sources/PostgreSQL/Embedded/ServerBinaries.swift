// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The PostgreSQL server's programs on this machine.
struct ServerBinaries: Sendable, Equatable {
  static let oldestVersion = 15

  /// The folder that holds `postgres` and `initdb`, with an absolute path.
  let folder: String
  /// The major version.
  let version: Int

  var postgres: String { folder + "/postgres" }
  var initdb: String { folder + "/initdb" }

  /// Finds the programs: in `chosen`, else of the wanted version, else the newest, among Debian's folders and the
  /// ones in PATH.
  /// - Throws: ``EmbeddedPostgresError`` `binariesNotFound` or `binariesUnusable`.
  static func find(
    wantedVersion: Int?, in chosen: String? = nil,
    path: String = ProcessInfo.processInfo.environment["PATH"] ?? "", packages: String = "/usr/lib/postgresql"
  ) throws(EmbeddedPostgresError) -> ServerBinaries {
    if let chosen {
      let folder = URL(filePath: chosen).standardizedFileURL.path(percentEncoded: false).withoutTrailingSlash
      guard let binaries = try probe(folder) else {
        throw .binariesUnusable(path: folder, reason: "it has no postgres and initdb")
      }
      guard binaries.version >= oldestVersion else {
        throw .binariesUnusable(path: folder, reason: "PostgreSQL \(binaries.version) is older than \(oldestVersion)")
      }
      return binaries
    }
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: packages)) ?? []
    let path = path.split(separator: ":").filter { $0.hasPrefix("/") }
    var found: [ServerBinaries] = []
    for folder in versions.map({ "\(packages)/\($0)/bin" }) + path.map({ String($0).withoutTrailingSlash }) {
      if let binaries = try? probe(folder), binaries.version >= oldestVersion { found.append(binaries) }
    }
    guard
      let best = found.first(where: { $0.version == wantedVersion }) ?? found.max(by: { $0.version < $1.version })
    else { throw .binariesNotFound(searched: ["\(packages)/*/bin", "PATH"]) }
    return best
  }

  /// Whether the server was built with LZ4, which compresses the WAL much faster than pglz.
  var knowsLZ4: Bool {
    let question = [
      postgres, "-C", "wal_compression", "-c", "wal_compression=lz4", "-c", "config_file=/dev/null", "-D", "/",
    ]
    return (try? ChildProcess.run(question))?.status == 0
  }

  /// Reads the version of the programs in a folder; nil when they are missing.
  private static func probe(_ folder: String) throws(EmbeddedPostgresError) -> ServerBinaries? {
    let postgres = folder + "/postgres"
    guard access(postgres, X_OK) == 0, access(folder + "/initdb", X_OK) == 0 else { return nil }
    let answer = try ChildProcess.run([postgres, "--version"])
    // "postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)", "postgres (PostgreSQL) 18beta1"
    guard answer.status == 0, let number = answer.output.split(separator: " ").dropFirst(2).first,
      let version = Int(number.prefix { $0.isNumber })
    else { throw .binariesUnusable(path: postgres, reason: "it does not print its version: \(answer.output)") }
    return ServerBinaries(folder: folder, version: version)
  }
}

extension String {
  /// The path without a slash at its end, unless it is the root.
  var withoutTrailingSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}
