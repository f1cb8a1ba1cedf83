// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CallerPack
import Support
import Foundation
import Publishing

struct KeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Create, rotate, list and export signing keys.",
    discussion: """
      The private key is in RINGFENCE_SIGNING_KEY, in the file of RINGFENCE_SIGNING_KEY_FILE, or in signing.key of the \
      data folder. A server or the first publication creates signing.key. Give clients the public key or root.json.
      """,
    subcommands: [Create.self, Rotate.self, List.self, Export.self])

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create", abstract: "Create a private key and print its public key.")

    @Option(help: .value("file", "File to write, readable by its owner only. Default: signing.key of the data folder."))
    var out: String?

    @OptionGroup var database: DatabaseOptions

    func run() throws {
      let key = SigningKey()
      if let out {
        do throws(FileFailure) {
          try PrivateFile.create(out, Data("\(key.secretText)\n".utf8))
        } catch {
          throw CommandFailure.unreadable(
            error.code == EEXIST
              ? "The file \(out) already exists. Choose another name." : "Cannot write \(out): \(error.reason).")
        }
        print(key.verifying.base64)
        return
      }
      let folder = try DataFolder(database.settings())
      guard try folder.storedSecret(DataFolder.signingKeyFile) == nil else {
        throw CommandFailure.failed(
          "A signing key already exists. Replace it with: ringfence keys rotate. Show it with: ringfence keys list")
      }
      print(try folder.makeSigningKey(key).verifying.base64)
    }
  }

  struct Rotate: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rotate", abstract: "Replace the signing key.",
      discussion: """
        Both keys sign the next root, so that clients accept the new key. The new key also signs the current manifest. \
        To replace a key in RINGFENCE_SIGNING_KEY: create one with keys create --out FILE, rotate with --to FILE, then \
        set the variable.
        """)

    @OptionGroup var database: DatabaseOptions

    @Option(help: .value("file", "File with the new private key. Default: a new key is created."))
    var to: String?

    func run() throws {
      let folder = try DataFolder(existing: database.settings())
      let old = try folder.keyThatSigns()
      let isInFolder =
        try folder.storedSecret(DataFolder.signingKeyFile).flatMap(SigningKey.init)?.verifying == old.verifying
      guard isInFolder || to != nil else {
        throw CommandFailure(
          description: "The signing key is set in the environment. Pass the new key with --to FILE.", exitCode: 2)
      }
      let new = try to.map(DataFolder.signingKey(file:)) ?? folder.nextSigningKey()
      let publications = PublicationFolder(path: folder.publications)
      try FileManager.default.createDirectory(atPath: folder.publications, withIntermediateDirectories: true)
      let root = try publications.rotate(from: old, to: new, at: Date())
      if isInFolder { try folder.adopt(new) }
      // Mirrors need the new root before the next publication.
      AfterPublish.repeatLast(dataFolder: folder.path)
      print("Root \(root.serial), valid until \(Timestamp.format(root.expires))")
      print("Public key \(new.verifying.base64)")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the keys of the current root.")

    @OptionGroup var database: DatabaseOptions

    func run() throws {
      let folder = try DataFolder(existing: database.settings())
      let own = try folder.presentSigningKey()?.verifying
      guard let root = try PublicationFolder(path: folder.publications).root() else {
        let own = try folder.keyThatSigns().verifying
        print("There is no root yet. The first publication creates it with this key.\n\(own.id)  \(own.base64)")
        return
      }
      print("Root \(root.serial), valid until \(Timestamp.format(root.expires))")
      for key in root.keys { print("\(key.id)  \(key.base64)\(key == own ? "  used by this server" : "")") }
    }
  }

  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Print the public key, for apps and pipelines.")

    @OptionGroup var database: DatabaseOptions

    @Flag(help: "Print the current root.json instead. With it, clients can follow key rotations.")
    var root = false

    func run() throws {
      let folder = try DataFolder(existing: database.settings())
      if root {
        let path = "\(folder.publications)/root.json"
        guard let data = FileManager.default.contents(atPath: path) else {
          throw CommandFailure.unreadable(
            "There is no root \(path). Make the first publication with: ringfence publish")
        }
        FileHandle.standardOutput.write(data)
      } else {
        print(try folder.keyThatSigns().verifying.base64)
      }
    }
  }
}

extension DataFolder {
  static let signingKeyFile = "signing.key"

  /// The key that signs publications, from the settings or from a file in the data folder that is created once.
  func signingKey() throws -> SigningKey {
    if try settings.signingKey == nil { try finishRotation() }
    return try key(Self.signingKeyFile, \.signingKey) { SigningKey().secretText }
  }

  func presentSigningKey() throws -> SigningKey? {
    guard try settings.signingKey != nil || storedSecret(Self.signingKeyFile) != nil else { return nil }
    return try signingKey()
  }

  /// - Throws: ``CommandFailure`` if there is no signing key; a new one would not help the caller.
  func keyThatSigns() throws -> SigningKey {
    guard let key = try presentSigningKey() else {
      throw CommandFailure.failed("There is no signing key. Create one with: ringfence keys create")
    }
    return key
  }

  /// The current signing key, and the next one if a rotation was interrupted. Changes nothing.
  func signingKeysToLookAt() throws -> [SigningKey] {
    if let key = try settings.signingKey { return [key] }
    return try [Self.signingKeyFile, Self.nextFile].compactMap { name in
      try storedSecret(name).map { try Self.signingKey($0, from: "\(path)/\(name)") }
    }
  }

  /// - Returns: the stored key, which differs if another process stored its own first.
  func makeSigningKey(_ key: SigningKey) throws -> SigningKey {
    try Self.signingKey(
      try secret(Self.signingKeyFile) { key.secretText }, from: "\(path)/\(Self.signingKeyFile)")
  }

  private static let nextFile = "signing.key.next"

  /// A new key, stored before any root lists it, because a listed key that is lost could not be replaced.
  func nextSigningKey() throws -> SigningKey {
    try Self.signingKey(
      try secret(Self.nextFile) { SigningKey().secretText }, from: "\(path)/\(Self.nextFile)")
  }

  /// Replaces the signing key with a key that a root lists, and deletes the old one.
  func adopt(_ key: SigningKey) throws {
    try replaceSecret(Self.signingKeyFile, with: key.secretText)
    unlink("\(path)/\(Self.nextFile)")
  }

  /// Adopts the next key if a root already lists it, because the rotating process was interrupted.
  private func finishRotation() throws {
    guard let text = try storedSecret(Self.nextFile), let next = SigningKey(text),
      let root = try? PublicationFolder(path: publications).root(), root.keys.contains(next.verifying)
    else { return }
    try adopt(next)
  }

  static func signingKey(file: String) throws -> SigningKey {
    try signingKey(try Settings.secret(in: file), from: file)
  }

  private static func signingKey(_ text: String, from place: String) throws -> SigningKey {
    guard let key = SigningKey(text) else {
      throw CommandFailure.failed(
        "\(place) must hold 44 characters of Base64, as ringfence keys create writes them. Restore it from a backup.")
    }
    return key
  }
}
