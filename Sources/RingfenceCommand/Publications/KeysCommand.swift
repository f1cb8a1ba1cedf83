import ArgumentParser
import CallerPack
import Foundation
import Publishing
import Timestamps

/// `ringfence keys`
struct KeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "The keys that publications are signed with.",
    discussion: """
      The private key is in RINGFENCE_SIGNING_KEY, in the file that RINGFENCE_SIGNING_KEY_FILE names, or in signing.key \
      of the data folder, which a server or the first publication makes. Give readers the public key or root.json.
      """,
    subcommands: [Create.self, Rotate.self, List.self, Export.self])

  /// `ringfence keys create`
  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create", abstract: "Make a private key; print the public one.")

    @Option(help: "File to write it to, readable by its owner only. Otherwise signing.key of the data folder.")
    var out: String?

    @OptionGroup var database: DatabaseOptions

    func run() throws {
      let key = SigningKey()
      if let out {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard !FileManager.default.fileExists(atPath: out) else {
          throw CommandFailure.unreadable("\(out) is there already. Choose another name.")
        }
        guard
          FileManager.default.createFile(
            atPath: out, contents: Data("\(key.secretText)\n".utf8), attributes: attributes)
        else { throw CommandFailure.unreadable("\(out) cannot be written.") }
        print(key.verifying.base64)
        return
      }
      let folder = try DataFolder(database.settings())
      guard try folder.storedSecret(DataFolder.signingKeyFile) == nil else {
        throw CommandFailure.failed(
          "There is a key already. To change it: ringfence keys rotate. To look at it: ringfence keys list.")
      }
      print(try folder.makeSigningKey(key).verifying.base64)
    }
  }

  /// `ringfence keys rotate`
  struct Rotate: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rotate", abstract: "Put a new key in the place of the present one.",
      discussion: """
        The next root is signed by both keys, so that readers can follow from the one to the other; the present \
        manifest is signed by the new one as well. A key from RINGFENCE_SIGNING_KEY is replaced where it comes from: \
        make a new one with keys create --out FILE, rotate with --to FILE, then set the variable.
        """)

    @OptionGroup var database: DatabaseOptions

    @Option(help: "File of the new private key. Otherwise one is made.")
    var to: String?

    func run() throws {
      let folder = try DataFolder(existing: database.settings())
      let old = try folder.keyThatSigns()
      let isInFolder =
        try folder.storedSecret(DataFolder.signingKeyFile).flatMap(SigningKey.init)?.verifying == old.verifying
      guard isInFolder || to != nil else {
        throw CommandFailure(
          description: "The key comes from the environment: give the new one with --to FILE.", exitCode: 2)
      }
      let new = try to.map(DataFolder.signingKey(file:)) ?? folder.nextSigningKey()
      let publications = PublicationFolder(path: folder.publications)
      try FileManager.default.createDirectory(atPath: folder.publications, withIntermediateDirectories: true)
      let root = try publications.rotate(from: old, to: new, at: Date())
      if isInFolder { try folder.adopt(new) }
      print("Root \(root.serial), good until \(Timestamp.format(root.expires))")
      print("Public key \(new.verifying.base64)")
    }
  }

  /// `ringfence keys list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the newest root's keys.")

    @OptionGroup var database: DatabaseOptions

    func run() throws {
      let folder = try DataFolder(existing: database.settings())
      let own = try folder.presentSigningKey()?.verifying
      guard let root = try PublicationFolder(path: folder.publications).root() else {
        let own = try folder.keyThatSigns().verifying
        print("No root yet; the first publication makes it with this key.\n\(own.id)  \(own.base64)")
        return
      }
      print("Root \(root.serial), good until \(Timestamp.format(root.expires))")
      for key in root.keys { print("\(key.id)  \(key.base64)\(key == own ? "  signs here" : "")") }
    }
  }

  /// `ringfence keys export`
  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Print the public key that signs here, for an app or a pipeline to trust.")

    @OptionGroup var database: DatabaseOptions

    @Flag(help: "The newest root's file instead: it also tells how to follow to later keys.")
    var root = false

    func run() throws {
      let folder = try DataFolder(existing: database.settings())
      if root {
        let path = "\(folder.publications)/root.json"
        guard let data = FileManager.default.contents(atPath: path) else {
          throw CommandFailure.unreadable("\(path) is not there. The first publication makes it.")
        }
        FileHandle.standardOutput.write(data)
      } else {
        print(try folder.keyThatSigns().verifying.base64)
      }
    }
  }
}
