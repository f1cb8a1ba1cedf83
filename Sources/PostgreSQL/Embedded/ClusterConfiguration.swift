// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The cluster's configuration files, rewritten at each start.
struct ClusterConfiguration: Sendable, Equatable {
  private var values: [String: String]
  /// The text of postgresql.conf.
  var settings: String {
    "# Written at each start; use ALTER SYSTEM for settings of your own.\n"
      + values.sorted { $0.key < $1.key }.map { "\($0) = \(Self.quoted($1))\n" }.joined()
  }
  /// The text of pg_hba.conf: the socket only, with peer authentication by the kernel.
  let hostBasedAuthentication = "local all all peer map=server\nlocal replication all peer map=server\n"
  /// The text of pg_ident.conf: the server's account and the cluster's own may connect, for work and for maintenance.
  let identities: String
  /// Folder to which the log is copied, or from which it is restored.
  let archive: String?

  /// Settings for a machine that the server shares with PostgreSQL; `options.settings` override them, and
  /// postgresql.auto.conf (ALTER SYSTEM) overrides both.
  /// - Parameter compression: of full-page images in the WAL.
  /// - Throws: ``EmbeddedPostgresError/invalidSetting(name:)``.
  init(
    _ options: EmbeddedPostgres.Options, folder: ClusterFolder, serverAccount: Account, compression: String = "pglz",
    archive: ArchiveFolder? = nil
  ) throws(EmbeddedPostgresError) {
    let root = folder.rootForServer
    let socketFolder = folder.socketFolderForServer.replacing("\"", with: "\"\"")
    var values = [
      "autovacuum_vacuum_insert_scale_factor": "0.05",
      "checkpoint_timeout": "15min",
      "data_directory": "\(root)/data",
      "dynamic_shared_memory_type": "posix",
      // Half of the memory, as the manual recommends at least.
      "effective_cache_size": Self.text(4 * Self.usualMegabytes),
      "hba_file": "\(root)/pg_hba.conf",
      "ident_file": "\(root)/pg_ident.conf",
      // Statements are short; compiling one takes longer than it saves.
      "jit": "off",
      "lc_messages": "C",
      "listen_addresses": "",
      "log_line_prefix": "%m [%p] %q%d ",
      "log_timezone": "UTC",
      "maintenance_work_mem": "128MB",
      // The server itself needs about ten; a benchmark with 256 clients also fits.
      "max_connections": "400",
      "max_wal_size": "2GB",
      // Recycled WAL files need not be filled with zeros first; only busy clusters have so many.
      "min_wal_size": "1GB",
      "port": "\(ClusterAddress.port)",
      "random_page_cost": "1.1",
      "shared_buffers": Self.text(Self.usualMegabytes),
      "timezone": "UTC",
      "unix_socket_directories": "\"\(socketFolder)\"",
      "unix_socket_permissions": "0700",
      "wal_compression": compression,
      "work_mem": "16MB",
    ]
    if !options.durable { values.merge(["fsync": "off", "full_page_writes": "off"]) { $1 } }
    if let archive {
      let own = [
        "archive_command": archive.command(folder: archive.pathForServer), "archive_mode": "on",
        "archive_timeout": "\(archive.archive.timeout)s",
      ]
      values.merge(own) { $1 }
    }
    if let recovery = options.recovery {
      // PostgreSQL accepts connections only after the recovery.
      values.merge(["hot_standby": "off", "recovery_target_action": "promote"]) { $1 }
      let restored = recovery.archive.map { geteuid() == 0 ? "/proc/self/fd/\(ArchiveFolder.handedFolder)" : $0 }
      values["restore_command"] = restored.map(ArchiveFolder.restoreCommand) ?? "false"
      // PostgreSQL reads this setting before it knows zones by name, such as "Z".
      if let until = recovery.until {
        values["recovery_target_time"] = until.replacing(/[Zz]$/, with: "+00:00")
      }
    }
    self.archive = archive?.archive.folder ?? options.recovery?.archive
    for (name, value) in options.settings {
      let isName =
        name.first?.isLetter == true
        && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }
      guard isName, !value.contains(where: { $0.isNewline || $0 == "\0" }) else { throw .invalidSetting(name: name) }
      values[name.lowercased()] = value
    }
    self.values = values
    identities = Set([serverAccount.name, folder.account.name]).sorted().flatMap { account in
      [ClusterAddress.role, ClusterAddress.superuser].map { "server \"\(account)\" \($0)\n" }
    }.joined()
  }

  /// The megabytes of `shared_buffers`: half of what PostgreSQL's manual recommends for a machine of its own. Reports about
  /// random numbers of a large database take 1.4 times the processor time with 256 MB (Documentation/benchmarks/large.md).
  /// - Parameter memory: in bytes.
  static func sharedMegabytes(of memory: Int) -> Int { min(4_096, max(fewestMegabytes, memory / (8 << 20))) }

  private static let fewestMegabytes = 256
  private static let usualMegabytes = sharedMegabytes(of: MachineMemory.bytes())

  /// The same with the fewest shared buffers, where other programs hold the memory; nil where it has no more.
  var withFewestBuffers: ClusterConfiguration? {
    guard values["shared_buffers"] == Self.text(Self.usualMegabytes), Self.usualMegabytes > Self.fewestMegabytes else {
      return nil
    }
    var fewer = self
    fewer.values["shared_buffers"] = Self.text(Self.fewestMegabytes)
    return fewer
  }

  private static func text(_ megabytes: Int) -> String { "\(megabytes)MB" }

  func write(to folder: ClusterFolder) throws(EmbeddedPostgresError) {
    try folder.write(settings, to: "postgresql.conf")
    try folder.write(hostBasedAuthentication, to: "pg_hba.conf")
    try folder.write(identities, to: "pg_ident.conf")
  }

  /// Whether the existing files have this content.
  func isWritten(in folder: ClusterFolder) -> Bool {
    folder.read("postgresql.conf") == settings && folder.read("pg_hba.conf") == hostBasedAuthentication
      && folder.read("pg_ident.conf") == identities
  }

  private static func quoted(_ value: String) -> String {
    "'" + value.map { $0 == "'" ? "''" : $0 == "\\" ? "\\\\" : "\($0)" }.joined() + "'"
  }
}
