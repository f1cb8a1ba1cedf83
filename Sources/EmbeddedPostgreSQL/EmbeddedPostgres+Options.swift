// SPDX-License-Identifier: Apache-2.0

extension EmbeddedPostgres {
  /// The location and the options of the cluster.
  public struct Options: Sendable {
    /// The server's data folder; the cluster is in its subfolder `postgresql`.
    public var dataFolder: String
    /// Folder with `postgres` and `initdb`; nil searches Debian's folders and PATH.
    public var programs: String?
    /// Settings for postgresql.conf, which override the defaults.
    public var settings: [String: String]
    /// Whether a commit survives a crash of the machine. False only for tests: fsync and full_page_writes are off, yet
    /// a killed process loses no commit.
    public var durable: Bool
    /// Whether the cluster shuts down when this process ends in any way.
    ///
    /// When true, a cluster that an earlier server left running is shut down and restarted, so that it ends with this
    /// process and has these settings. When false, it is adopted while running, unless its settings differ.
    public var diesWithParent: Bool

    /// Describes a cluster; a relative `dataFolder` is resolved in the current folder.
    public init(
      dataFolder: String, programs: String? = nil, settings: [String: String] = [:], durable: Bool = true,
      diesWithParent: Bool = true
    ) {
      self.dataFolder = dataFolder
      self.programs = programs
      self.settings = settings
      self.durable = durable
      self.diesWithParent = diesWithParent
    }
  }
}
