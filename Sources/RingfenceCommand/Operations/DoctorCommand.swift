// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CallerPack
import Support
import Foundation
import Jobs
import PostgreSQL
import Publishing

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check the installation and print what to correct.",
    discussion: """
      Prints one line per check: ok, warning or bad. Changes nothing, and can run while a server runs. The exit code is 1 \
      if a check is bad.
      """)

  @OptionGroup var database: DatabaseOptions

  @Flag(help: "Print a JSON array of objects with what, state, found and advice.")
  var json = false

  func run() async throws {
    let folder = try DataFolder(existing: database.settings())
    var findings = FolderChecks(folder: folder).findings()
    do {
      findings += try await database.open(migrates: false) { context in
        try await DatabaseChecks(context: context).findings()
      }
    } catch let error as PostgresError {
      findings.append(Self.finding(error, place: folder.settings.origin(of: SettingList.all.databaseURL.description)))
    }
    findings += try await SignOnCheck.findings(database.settings())
    findings += try AttestationFiles.findings(database.settings())
    if json {
      print(try CommandJSON.text(findings))
    } else {
      for finding in findings { print(finding.line) }
    }
    if findings.contains(where: { $0.state == .bad }) { throw ExitCode(1) }
  }

  /// - Parameter place: the setting with the database's address, such as DATABASE_URL_FILE; nil for the private one.
  private static func finding(_ error: PostgresError, place: String?) -> Finding {
    let said = (error.server?.message ?? error.clientMessage)?.split(separator: "\n").first.map { " \($0)" } ?? ""
    let advice =
      if error.isOfPooler {
        "Behind PgBouncer in transaction mode, set RINGFENCE_DATABASE_POOLER=transaction (database-pooler in a settings file)."
      } else if let place {
        error.kind == .connectionRefused
          ? "Correct the user, the password or the database in \(place), or PostgreSQL's pg_hba.conf."
          : "Check that PostgreSQL runs and that \(place) is correct."
      } else {
        error.kind == .connectionRefused
          ? "Run the command under the account of the server, such as: sudo -u ringfence ringfence doctor"
          : "The private PostgreSQL of this folder does not answer. Read the server's log."
      }
    return .bad("database", "\(error)\(said)", advice)
  }
}

/// A result line of the doctor.
struct Finding: Encodable, Sendable, Equatable {
  enum State: String, Encodable, Sendable {
    case ok
    /// It works but needs attention.
    case warning
    /// It fails, or acknowledged data may be lost.
    case bad
  }

  /// The first names, with a comma between them, and the number of the others.
  static func names(_ all: [String]) -> String {
    all.prefix(5).joined(separator: ", ") + (all.count > 5 ? ", \(all.count - 5) more" : "")
  }

  let what: String
  let state: State
  let found: String
  /// The action for the operator; empty if the check passed.
  let advice: String

  static func ok(_ what: String, _ found: String) -> Finding {
    Finding(what: what, state: .ok, found: found, advice: "")
  }

  static func warning(_ what: String, _ found: String, _ advice: String) -> Finding {
    Finding(what: what, state: .warning, found: found, advice: advice)
  }

  static func bad(_ what: String, _ found: String, _ advice: String) -> Finding {
    Finding(what: what, state: .bad, found: found, advice: advice)
  }

  var line: String {
    let mark = state.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
    return "\(mark) \(what): \(found)" + (advice.isEmpty ? "" : "\n         → \(advice)")
  }
}

/// The doctor's checks of the data folder and the program.
struct FolderChecks {
  let folder: DataFolder

  func findings() -> [Finding] {
    [
      writable("data folder", folder.path), access(), clusterAccount(), disk("disk", folder.path),
      inodes("files", folder.path),
    ].compactMap(\.self) + publications() + [backup()] + keys() + [root()] + records() + settings()
  }

  /// The settings that `serve` would refuse.
  private func settings() -> [Finding] {
    do {
      _ = try ServerConfiguration(folder.settings, Installation.find(folder.settings))
      _ = try PublicationPolicy(folder.settings)
      return []
    } catch {
      return [.bad("settings", "\(error)", "Correct the setting. A server with it does not start.")]
    }
  }

  /// The erasure journal and the file of the audit log.
  private func records() -> [Finding] {
    do {
      let records = RecordFiles(journal: try folder.journal, output: try folder.settings.auditOut)
      return RecordFiles.Kind.allCases.map { kind in
        let what = kind == .erasureJournal ? "erasure journal" : "audit output"
        guard let failure = records.failure(of: kind) else { return .ok(what, "can be written") }
        return .bad(
          what, failure.reason, "Let the account of the server write it, or free space. Rights are refused until then.")
      }
    } catch {
      return [.bad("erasure journal", "\(error)", "Correct the setting.")]
    }
  }

  private func writable(_ what: String, _ path: String) -> Finding {
    let file = "\(path)/.doctor-\(UUID().uuidString)"
    defer { unlink(file) }
    do throws(FileFailure) {
      try PrivateFile.create(file, Data("x".utf8))
      return .ok(what, "\(path) is writable")
    } catch {
      return .bad(
        what, "\(path) is not writable: \(error.reason)",
        [ENOSPC, EDQUOT].contains(error.code)
          ? "Free space, or raise the quota."
          : error.code == EROFS || error.code == EIO
            ? "Read the kernel log (dmesg). A file system becomes read-only after an error."
            : "Run as the user that owns it, or grant write access.")
    }
  }

  /// The folder of publications: it may be mounted.
  private func publications() -> [Finding] {
    let path = folder.publications
    guard FileManager.default.fileExists(atPath: path) else {
      return [.ok("publications folder", "the first publication creates it")]
    }
    let isOwn = FolderSpace(path)?.device != FolderSpace(folder.path)?.device
    return [writable("publications folder", path)]
      + (isOwn ? [disk("publications disk", path), inodes("publications files", path)] : [])
  }

  private func backup() -> Finding {
    guard let time = BackupRecord.time(in: folder) else {
      return .ok("backup", "none by `ringfence backup`: another program must copy database and keys")
    }
    let found = "made at \(Timestamp.format(time))"
    return -time.timeIntervalSinceNow > BackupRecord.maxAge
      ? .warning("backup", found, "Make one every day: ringfence backup FOLDER --keep 7, or ringfence-backup.timer")
      : .ok("backup", found)
  }

  private static func permissions(of path: String) -> Int? {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return (try? FileManager.default.attributesOfItem(atPath: target))?[.posixPermissions] as? Int
  }

  private func access() -> Finding {
    guard let mode = Self.permissions(of: folder.path), mode & 0o077 != 0 else {
      return .ok("access", "only its owner may enter the data folder")
    }
    return .warning(
      "access", "other accounts may enter the data folder (mode \(String(mode, radix: 8)))",
      "chmod 700 \(folder.path). Publications that another program serves can lie elsewhere: see "
        + "Documentation/operations.md, Permissions.")
  }

  /// As root, the private PostgreSQL runs as the account that owns its files.
  private func clusterAccount() -> Finding? {
    let data = "\(folder.path)/postgresql/data"
    guard let owner = try? FileManager.default.attributesOfItem(atPath: data)[.ownerAccountName] as? String else {
      return nil
    }
    guard ["postgres", "nobody"].contains(owner) else { return .ok("PostgreSQL's account", owner) }
    return .warning(
      "PostgreSQL's account", "\(owner), and other programs that run as it can read the database",
      "Stop the server. Then: useradd --system --user-group ringfence; chown -R ringfence: \(data)")
  }

  private func disk(_ what: String, _ path: String) -> Finding {
    guard let space = FolderSpace(path) else {
      return .warning(what, "its size is unknown", "Check it with: df \(path)")
    }
    let found = "\(space.freeBytes >> 20) MB of \(space.bytes >> 20) MB are free"
    if space.isNearlyFull {
      return .bad(what, found, "Free space now. PostgreSQL stops when the disk is full.")
    }
    if space.isLow {
      return .warning(what, found, "Free space. Publications and PostgreSQL's log need it.")
    }
    return .ok(what, found)
  }

  private func inodes(_ what: String, _ path: String) -> Finding {
    guard let free = FolderSpace(path)?.freeFiles else { return .ok(what, "no limit") }
    let found = "\(free) more can be created"
    return free < 10_000
      ? .bad(what, found, "The file system cannot create more files. Check it with: df -i \(path)")
      : .ok(what, found)
  }

  /// Checks that readers will continue to accept publications.
  private func root() -> Finding {
    let root: Root?
    let keys: [SigningKey]
    do {
      root = try PublicationFolder(path: folder.publications).root()
      keys = try folder.signingKeysToLookAt()
    } catch {
      return .bad("root", "\(error)", "Restore the publications folder and the keys from a backup.")
    }
    guard let root else { return .ok("root", "the first publication creates it") }
    let found = "\(root.serial), valid until \(Timestamp.format(root.expires))"
    let left = root.expires.timeIntervalSinceNow
    if left < 0 {
      return .bad("root", found, "Clients reject all publications. Make a new root with: ringfence keys rotate")
    }
    if keys.isEmpty {
      return .warning(
        "root", "\(found); the signing key is missing, and clients would reject a new key",
        "Restore signing.key from a backup, unless another server publishes or has it in RINGFENCE_SIGNING_KEY.")
    }
    if !keys.contains(where: { root.keys.contains($0.verifying) }) {
      return .bad(
        "root", "\(found); it does not contain this server's signing key",
        "Restore the signing key of this root. Clients would reject other signatures.")
    }
    return left < WarningJob.notice
      ? .warning("root", found, "Make a new root with: ringfence keys rotate. Clients follow automatically.")
      : .ok("root", found)
  }

  private func keys() -> [Finding] {
    let list = SettingList.all
    let settings = [
      "pseudonym.key": list.pseudonymKey.description, "account.key": list.accountKey.description,
      DataFolder.signingKeyFile: list.signingKey.description, "webhook.secret": list.webhookSecret.description,
      "metrics.token": list.metricsToken.description,
    ]
    return Backup.keyFiles.compactMap { name in
      let setting = settings[name]
      if let origin = setting.flatMap(folder.settings.origin) { return .ok(name, "set by \(origin)") }
      let path = "\(folder.path)/\(name)"
      guard let mode = Self.permissions(of: path) else {
        return setting == nil ? nil : .ok(name, "created when first needed")
      }
      guard mode & 0o077 == 0 else {
        return .bad(
          name, "other users can read it (mode \(String(mode, radix: 8)))",
          "Run chmod 600 \(path), then replace it: see Keys in Documentation/operations.md.")
      }
      return .ok(name, "readable by its owner only")
    }
  }
}
