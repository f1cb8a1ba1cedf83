// SPDX-License-Identifier: Apache-2.0

import Accounts
import Curation
import Support
import Foundation
package import Intake

/// The server's data folder with its database, keys and publications.
package struct DataFolder {
  package let path: String
  let settings: Settings

  /// A static site.
  package var publications: String { "\(path)/publications" }

  /// Creates the folder if it does not exist.
  package init(_ settings: Settings) throws {
    path = URL(filePath: try settings.data).standardizedFileURL.path
    self.settings = settings
    do throws(FileFailure) {
      try PrivateFile.makeFolder(path)
    } catch {
      throw CommandFailure.unreadable(
        "Cannot create the data folder \(path): \(error.reason). Pass another folder with --data.")
    }
  }

  /// - Throws: ``CommandFailure`` if the folder does not exist.
  init(existing settings: Settings) throws {
    path = URL(filePath: try settings.data).standardizedFileURL.path
    self.settings = settings
    guard FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure.unreadable("There is no data folder \(path). Pass the server's data folder with --data.")
    }
  }

  /// The file with the address of the server that runs with this folder and locks it.
  private static let addressFile = "server.address"

  /// The address for others of the running server; nil if none runs.
  var serverAddress: String? {
    guard let text = FileManager.default.contents(atPath: "\(path)/\(Self.addressFile)"), !text.isEmpty else {
      return nil
    }
    do {
      _ = try FolderLock(folder: path, name: Self.addressFile)
      return nil
    } catch { return error.isHeld ? String(decoding: text, as: UTF8.self) : nil }
  }

  /// Takes the place of the server that runs with this folder: commands find its address as long as the lock is kept.
  /// - Returns: nil where another server has it, or the folder cannot be written. Neither is a reason to refuse to serve.
  func lockServerAddress() -> FolderLock? {
    // A command holds it for a moment.
    for _ in 0..<20 {
      do {
        let lock = try FolderLock(folder: path, name: Self.addressFile)
        noteServer("")
        return lock
      } catch {
        guard error.isHeld else { return nil }
        usleep(10_000)
      }
    }
    return nil
  }

  /// For the holder of the lock. The file stays the same one, because the lock is on it.
  func noteServer(_ address: String) {
    guard let file = FileHandle(forWritingAtPath: "\(path)/\(Self.addressFile)") else { return }
    try? file.truncate(atOffset: 0)
    try? file.write(contentsOf: Data(address.utf8))
  }

  package func pseudonymizer() throws -> Pseudonymizer {
    Pseudonymizer(key: try key("pseudonym.key", \.pseudonymKey))
  }

  /// The key that encrypts the accounts' second factors. If it is lost, every second factor must be set up again.
  func accountKey() throws -> AccountKey { AccountKey(try key("account.key", \.accountKey)) }

  func presentAccountKey() throws -> AccountKey? {
    guard try settings.accountKey != nil || storedSecret("account.key") != nil else { return nil }
    return try accountKey()
  }

  /// A key from the settings, or from a file in this folder that is created once.
  func key<Key>(
    _ file: String, _ setting: KeyPath<SettingList, Setting<Key?>>, make: () -> String = randomKey
  ) throws -> Key {
    if let key = try settings[dynamicMember: setting] { return key }
    let setting = SettingList.all[keyPath: setting]
    guard let key = setting.parse(try secret(file, make: make)) ?? nil else {
      throw CommandFailure.failed(
        "\(path)/\(file) is damaged: it must hold \(setting.description.rule). Restore it from a backup.")
    }
    return key
  }

  private static func randomKey() -> String {
    Hexadecimal.text((0..<32).map { _ in UInt8.random(in: 0...255) })
  }

  /// A secret in its own file, readable only by its owner.
  ///
  /// If two processes create it at the same time, both get the one stored first.
  /// - Parameter make: called if the file does not exist.
  /// - Throws: ``CommandFailure`` if the file exists but cannot be read; it is never replaced.
  package func secret(_ name: String, make: () throws -> String) throws -> String {
    if let text = try storedSecret(name) { return text }
    return try store(try make(), name: name, replacing: false)
  }

  package func storedSecret(_ name: String) throws -> String? {
    let file = "\(path)/\(name)"
    if faccessat(AT_FDCWD, file, F_OK, AT_SYMLINK_NOFOLLOW) != 0, errno == ENOENT { return nil }
    guard let data = FileManager.default.contents(atPath: file) else {
      throw CommandFailure.unreadable("Cannot read \(file). Check its owner and permissions.")
    }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  package func replaceSecret(_ name: String, with text: String) throws {
    _ = try store(text, name: name, replacing: true)
  }

  /// Writes a secret to a temporary file, flushes it and renames it, because an incomplete key would be used
  /// permanently.
  private func store(_ text: String, name: String, replacing: Bool) throws -> String {
    let file = "\(path)/\(name)"
    let temporary = "\(path)/.\(name).\(UUID().uuidString).tmp"
    defer { unlink(temporary) }
    do throws(FileFailure) {
      try PrivateFile.create(temporary, Data((text + "\n").utf8))
    } catch {
      throw CommandFailure.unreadable("Cannot write \(file): \(error.reason).")
    }
    guard
      replacing ? rename(temporary, file) == 0 : link(temporary, file) == 0 || errno == EEXIST,
      (try? flushToDisk(path)) != nil, let stored = try storedSecret(name)
    else { throw CommandFailure.unreadable("Cannot write \(file). Check its folder, permissions and free space.") }
    return stored
  }
}
