package import Accounts
import Foundation
package import Intake

/// The server's own folder: its database, its keys, what it publishes.
package struct DataFolder {
  package let path: String

  /// Publications: a static site of its own.
  package var publications: String { "\(path)/publications" }

  /// Makes the folder when it is new.
  package init(_ path: String) throws {
    self.path = URL(filePath: path).standardizedFileURL.path
    do {
      try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure.unreadable("The data folder \(self.path) cannot be made. Choose another with --data.")
    }
  }

  /// A folder that is there already.
  /// - Throws: ``CommandFailure`` where it is not: its name is mistyped.
  package init(existing path: String) throws {
    self.path = URL(filePath: path).standardizedFileURL.path
    guard FileManager.default.fileExists(atPath: self.path) else {
      throw CommandFailure.unreadable("There is no data folder \(self.path). Choose another with --data.")
    }
  }

  /// The key of reporters' pseudonyms: RINGFENCE_PSEUDONYM_KEY (64 hex digits), the file that
  /// RINGFENCE_PSEUDONYM_KEY_FILE names, or a file in this folder that is made once.
  package func pseudonymizer(environment: [String: String] = ProcessInfo.processInfo.environment) throws
    -> Pseudonymizer
  {
    Pseudonymizer(key: try key("pseudonym.key", variable: "RINGFENCE_PSEUDONYM_KEY", environment))
  }

  /// The key that accounts' second factors are kept with: RINGFENCE_ACCOUNT_KEY (64 hex digits), the file
  /// that RINGFENCE_ACCOUNT_KEY_FILE names, or a file in this folder that is made once. Without it every second factor has
  /// to be set up anew.
  package func accountKey(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> AccountKey {
    AccountKey(try key("account.key", variable: "RINGFENCE_ACCOUNT_KEY", environment))
  }

  /// The same, if there is one yet.
  package func presentAccountKey(environment: [String: String] = ProcessInfo.processInfo.environment) throws
    -> AccountKey?
  {
    let isSet = try SecretSetting.read("RINGFENCE_ACCOUNT_KEY", environment: environment) != nil
    guard try isSet || storedSecret("account.key") != nil else { return nil }
    return try accountKey(environment: environment)
  }

  /// A key of 32 bytes: from the environment, or from a file that is made once.
  private func key(_ file: String, variable: String, _ environment: [String: String]) throws -> [UInt8] {
    if let hex = try SecretSetting.read(variable, environment: environment) {
      guard let key = Self.bytes(hex: hex), key.count == 32 else {
        throw CommandFailure.failed("\(variable) must be 64 hex digits. Make one with: openssl rand -hex 32")
      }
      return key
    }
    let text = try secret(file) {
      (0..<32).map { _ in String(format: "%02x", UInt8.random(in: 0...255)) }.joined()
    }
    guard let key = Self.bytes(hex: text), key.count == 32 else {
      throw CommandFailure.failed("\(path)/\(file) is damaged: it must hold 64 hex digits. Restore it from a backup.")
    }
    return key
  }

  /// A secret that is kept in a file of its own, readable by its owner only.
  ///
  /// Of two processes that make it at once, both get the one that was stored first.
  /// - Parameter make: called when there is no such file.
  /// - Throws: ``CommandFailure`` when the file is there and cannot be read: it is never replaced.
  package func secret(_ name: String, make: () throws -> String) throws -> String {
    if let text = try storedSecret(name) { return text }
    return try store(try make(), name: name, replacing: false)
  }

  /// The secret of this name; nil when there is no such file.
  package func storedSecret(_ name: String) throws -> String? {
    let file = "\(path)/\(name)"
    var status = stat()
    if lstat(file, &status) != 0, errno == ENOENT { return nil }
    guard let data = FileManager.default.contents(atPath: file) else {
      throw CommandFailure.unreadable("\(file) is there and cannot be read. Check its owner and permissions.")
    }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Keeps a secret in place of the one there is.
  package func replaceSecret(_ name: String, with text: String) throws {
    _ = try store(text, name: name, replacing: true)
  }

  /// Writes a secret whole beside, flushes it, and gives it its name: a half-written key would be kept for ever.
  private func store(_ text: String, name: String, replacing: Bool) throws -> String {
    let file = "\(path)/\(name)"
    let temporary = "\(path)/.\(name).\(UUID().uuidString).tmp"
    defer { unlink(temporary) }
    guard
      FileManager.default.createFile(
        atPath: temporary, contents: Data((text + "\n").utf8), attributes: [.posixPermissions: 0o600]),
      Self.flush(temporary), replacing ? rename(temporary, file) == 0 : link(temporary, file) == 0 || errno == EEXIST,
      Self.flush(path), let stored = try storedSecret(name)
    else { throw CommandFailure.unreadable("\(file) cannot be written.") }
    return stored
  }

  /// Flushes a file, or a folder's names, to disk.
  private static func flush(_ path: String) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    return fsync(file) == 0
  }

  private static func bytes(hex: String) -> [UInt8]? {
    guard hex.utf8.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    var rest = hex[...]
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
