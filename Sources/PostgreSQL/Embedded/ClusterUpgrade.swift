// SPDX-License-Identifier: Apache-2.0

import CSpawn
import Support
import Foundation

extension EmbeddedPostgres {
  /// The version of a cluster, and the programs that are installed for it.
  public struct Versions: Sendable, Equatable {
    /// The major version that made the cluster.
    public let cluster: Int
    /// The folder with the programs of this version; nil where they are not installed.
    public let programs: String?
    /// The newest installed version.
    public let newest: Int
    /// The folder with its programs.
    public let newestPrograms: String
  }

  /// The version of the cluster in a data folder and of the installed programs; nil without a cluster.
  /// - Parameter programs: Folder with programs of one of the versions; nil searches Debian's folders and PATH.
  /// - Throws: ``EmbeddedPostgresError`` `binariesNotFound` or `binariesUnusable`.
  public static func versions(
    dataFolder: String, programs: String? = nil
  ) throws(EmbeddedPostgresError) -> Versions? {
    guard let version = version(ofClusterIn: dataFolder) else { return nil }
    var found = try [ServerBinaries.find(wantedVersion: nil, in: programs)]
    // A folder may be named for either version.
    for wanted in [version, nil] { (try? ServerBinaries.find(wantedVersion: wanted)).map { found.append($0) } }
    let newest = found.first { $0.version > version } ?? found[0]
    return Versions(
      cluster: version, programs: found.first { $0.version == version }?.folder, newest: newest.version,
      newestPrograms: newest.folder)
  }

  /// The major version of the cluster in a data folder; nil without a cluster.
  public static func version(ofClusterIn dataFolder: String) -> Int? {
    let file = ClusterFolder.root(in: dataFolder) + "/data/PG_VERSION"
    return (try? String(contentsOfFile: file, encoding: .utf8)).flatMap {
      Int($0.trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }

  /// Runs `body` while no server and no command uses the data folder.
  /// - Throws: ``EmbeddedPostgresError/folderInUse(folder:pid:)``, and the error of `body`.
  public static func withLock<R>(dataFolder: String, _ body: () throws -> R) throws -> R {
    let lock = try DataFolderLock(folder: ClusterFolder.prepareDataFolder(dataFolder))
    defer { lock.release() }
    return try body()
  }

  /// Shuts the cluster down and exchanges its files with the files of a stopped cluster, in one step, before the data
  /// folder's lock is released: at each moment, and after a loss of power, one of the two is there completely.
  /// - Parameter dataFolder: The other cluster's data folder, on the same file system.
  /// - Throws: ``EmbeddedPostgresError`` `stopFailed`, or `folderUnusable`; ``version(ofClusterIn:)`` tells whether the files
  ///   were exchanged.
  public func stop(exchangingWith dataFolder: String) async throws {
    cluster.monitor.requestStop()
    try await cluster.close(exchangingWith: dataFolder)
  }
}

extension ClusterFolder {
  /// Exchanges the cluster's files with those in another data folder.
  func exchange(with dataFolder: String) throws(EmbeddedPostgresError) {
    let other = Self.root(in: dataFolder)
    guard renameat2(AT_FDCWD, data, AT_FDCWD, other + "/data", UInt32(RENAME_EXCHANGE)) == 0 else {
      throw .folderUnusable(folder: data, reason: SystemError.current)
    }
    for path in [root, other] {
      do throws(FileFailure) {
        try flushToDisk(path)
      } catch {
        throw .folderUnusable(folder: error.path, reason: error.reason)
      }
    }
  }
}
