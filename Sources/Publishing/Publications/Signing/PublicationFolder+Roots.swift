// SPDX-License-Identifier: Apache-2.0

public import CallerPack
public import Foundation

extension PublicationFolder {
  /// The validity of a root in seconds: ten years. A change of keys starts it again.
  static let rootLifetime: TimeInterval = 3_650 * 86_400

  /// The newest root; nil before the first publication.
  /// - Throws: ``PublishingError/badRoot(_:)``.
  public func root() throws -> Root? {
    let folder = "\(path)/roots"
    guard FileManager.default.fileExists(atPath: folder) else { return nil }
    let serials = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { file in
      file.wholeMatch(of: /([1-9][0-9]{0,8})\.root\.json/).flatMap { Int($0.1) }
    }
    guard let newest = serials.max() else { return nil }
    let file = "\(path)/\(Root.path(serial: newest))"
    guard let data = FileManager.default.contents(atPath: file),
      let envelope = try? Envelope(decoding: [UInt8](data), payloadType: Root.payloadType),
      let root = try? Root(decoding: envelope.payload), root.serial == newest
    else { throw PublishingError.badRoot(file) }
    return root
  }

  /// The id of the server that publishes into the folder; see `Root.serverID(ofFirst:)`. Nil before the first
  /// publication.
  /// - Throws: ``PublishingError/badRoot(_:)`` if the folder has later roots only.
  public func serverID() throws -> String? {
    let first = "\(path)/\(Root.path(serial: 1))"
    guard FileManager.default.fileExists(atPath: first) else {
      guard try root() == nil else { throw PublishingError.badRoot(first) }
      return nil
    }
    return Root.serverID(ofFirst: try PackDigest.ofFile(first))
  }

  /// The newest root; creates one with this key if there is none.
  /// - Throws: ``PublishingError/keyNotInRoot(key:root:)`` if the newest root does not list the key.
  func root(for key: SigningKey, at time: Date) throws -> Root {
    if let root = try root() {
      guard root.keys.contains(key.verifying) else {
        throw PublishingError.keyNotInRoot(key: key.verifying.id, root: root.serial)
      }
      return root
    }
    let root = Root(
      serial: 1, issued: time, expires: time.addingTimeInterval(Self.rootLifetime), keys: [key.verifying])
    try reveal(root, signedBy: [key])
    return root
  }

  /// Writes a root under its own name, which makes it valid, and then as `root.json`.
  func reveal(_ root: Root, signedBy keys: [SigningKey]) throws {
    let folder = "\(path)/roots"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let data = Data(try Envelope(sealing: root, with: keys).encoded())
    try DurableFile.replace("\(path)/\(Root.path(serial: root.serial))", with: data)
    try DurableFile.replace("\(path)/root.json", with: data)
  }

  /// Replaces a key. Writes the next root, signed by both keys, then signs the current manifest with both keys, so that
  /// readers with the old root and readers with the new root can verify it.
  ///
  /// In the reverse order a reader could get a manifest whose keys its root does not list.
  /// - Returns: the new root.
  /// - Throws: ``PublishingError``.
  public func rotate(from old: SigningKey, to new: SigningKey, at time: Date) throws -> Root {
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    let present = try root(for: old, at: time)
    let next = Root(
      serial: present.serial + 1, issued: time, expires: time.addingTimeInterval(Self.rootLifetime),
      threshold: present.threshold, keys: present.keys.filter { $0 != old.verifying } + [new.verifying])
    if let data = FileManager.default.contents(atPath: manifestPath) {
      guard var envelope = try? Envelope(decoding: [UInt8](data), payloadType: Manifest.payloadType) else {
        throw PublishingError.badManifest(manifestPath)
      }
      // Signatures of older keys are in no root that a reader still needs, and an envelope has room for 16.
      envelope.signatures.removeAll { $0.keyID != old.verifying.id }
      try new.sign(&envelope)
      try DurableFile.replace(manifestPath, with: Data(envelope.encoded()))
    }
    try reveal(next, signedBy: [old, new])
    return next
  }
}
