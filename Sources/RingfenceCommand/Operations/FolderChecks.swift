import CallerPack
import Foundation
import Publishing
import Timestamps

/// What the doctor sees in the data folder and the program itself.
struct FolderChecks {
  let folder: DataFolder

  func findings() -> [Finding] {
    [writable(), disk(), inodes()] + keys() + [root(), phoneNumbers()]
  }

  private func writable() -> Finding {
    let file = "\(folder.path)/.doctor-\(UUID().uuidString)"
    defer { unlink(file) }
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    defer { if descriptor >= 0 { close(descriptor) } }
    if descriptor >= 0, write(descriptor, "x", 1) == 1, fsync(descriptor) == 0 {
      return .ok("data folder", "\(folder.path) can be written")
    }
    let code = errno
    return .bad(
      "data folder", "\(folder.path) cannot be written: \(String(cString: strerror(code)))",
      [ENOSPC, EDQUOT].contains(code)
        ? "Free some space, or raise the quota."
        : code == EROFS || code == EIO
          ? "Look what the kernel says (dmesg): a file system that met an error is made read-only."
          : "Run as the account that owns it, or give that account write access.")
  }

  private func disk() -> Finding {
    guard let values = try? FileManager.default.attributesOfFileSystem(forPath: folder.path),
      let free = (values[.systemFreeSize] as? NSNumber)?.int64Value,
      let size = (values[.systemSize] as? NSNumber)?.int64Value, size > 0
    else { return .warning("disk", "its size is not known", "Look at it with: df \(folder.path)") }
    let found = "\(free >> 20) MB of \(size >> 20) MB are free"
    if free < 512 << 20 {
      return .bad("disk", found, "Free some space at once: PostgreSQL stops when the disk is full.")
    }
    if free < 4 << 30 || free * 10 < size {
      return .warning("disk", found, "A night's publication and PostgreSQL's log need room. Free some space.")
    }
    return .ok("disk", found)
  }

  private func inodes() -> Finding {
    var status = statvfs()
    // Some file systems have no bound, and say 0.
    guard statvfs(folder.path, &status) == 0, status.f_files > 0 else { return .ok("files", "there is no bound") }
    let found = "\(status.f_favail) more can be made"
    return status.f_favail < 10_000
      ? .bad("files", found, "The file system has no room for more files, whatever df says: see df -i \(folder.path)")
      : .ok("files", found)
  }

  /// Whether readers will go on trusting what is published.
  private func root() -> Finding {
    let root: Root?
    let keys: [SigningKey]
    do {
      root = try PublicationFolder(path: folder.publications).root()
      keys = try folder.signingKeysToLookAt()
    } catch {
      return .bad("root", "\(error)", "Restore the publications folder and the keys from a backup.")
    }
    guard let root else { return .ok("root", "the first publication makes it") }
    let found = "\(root.serial), good until \(Timestamp.format(root.expires))"
    let days = root.expires.timeIntervalSinceNow / 86_400
    if days < 0 { return .bad("root", found, "Readers refuse everything: ringfence keys rotate makes a new one.") }
    if keys.isEmpty {
      return .warning(
        "root", "\(found); no key that signs is here, and readers would refuse what a new one signs",
        "Bring signing.key back from a backup, unless another server publishes or has it in RINGFENCE_SIGNING_KEY.")
    }
    if !keys.contains(where: { root.keys.contains($0.verifying) }) {
      return .bad(
        "root", "\(found); the key that signs here is not one of its keys",
        "Bring back the signing key that belongs to it: readers would refuse what another one signs.")
    }
    return days < 45
      ? .warning("root", found, "A new one is made by ringfence keys rotate; readers follow by themselves.")
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
      if let origin = setting.flatMap(folder.settings.origin) { return .ok(name, "comes from \(origin)") }
      var status = stat()
      let path = "\(folder.path)/\(name)"
      guard stat(path, &status) == 0 else {
        return setting == nil ? nil : .ok(name, "is made when it is first needed")
      }
      guard status.st_mode & 0o077 == 0 else {
        return .bad(
          name, "others may read it (mode \(String(status.st_mode & 0o777, radix: 8)))",
          "chmod 600 \(path), and think of it as known to them: see Documentation/operations.md, Keys.")
      }
      return .ok(name, "only its owner may read it")
    }
  }

  /// The files that this program has loaded. The system says of this one that it is empty, so it is read to its end.
  private static func maps() -> String {
    let file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while text.count < 16 << 20 {
      let count = read(file, &buffer, buffer.count)
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The library's version is in the name of the file that this program has loaded.
  private func phoneNumbers() -> Finding {
    guard let match = Self.maps().firstMatch(of: /libphonenumber\.so\.([0-9]+(?:\.[0-9]+)*)/) else {
      return .warning("libphonenumber", "its version is not known", "Look at it with: ldd $(which ringfence)")
    }
    let parts = match.1.split(separator: ".").compactMap { Int($0) }
    let version = String(match.1)
    if parts.lexicographicallyPrecedes([8, 13]) {
      return .warning(
        "libphonenumber", version,
        "Area codes that were opened since are refused as not_valid. Newer Debian releases have a newer one.")
    }
    return .ok("libphonenumber", version)
  }
}
