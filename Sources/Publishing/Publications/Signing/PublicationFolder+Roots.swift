public import CallerPack
public import Foundation

extension PublicationFolder {
  /// How long a root is good for, in seconds: ten years. A change of keys starts it anew.
  public static let rootLifetime: TimeInterval = 3_650 * 86_400

  /// The newest root; nil before the first.
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

  /// The newest root, made with this key when there is none yet.
  /// - Throws: ``PublishingError/keyNotInRoot(key:root:)`` when there is one and it does not list the key.
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

  /// Puts a root in place under its own name, which is what counts, and then as `root.json`.
  func reveal(_ root: Root, signedBy keys: [SigningKey]) throws {
    let folder = "\(path)/roots"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let data = Data(try Envelope(sealing: root, with: keys).encoded())
    try DurableFile.replace("\(path)/\(Root.path(serial: root.serial))", with: data)
    try DurableFile.replace("\(path)/root.json", with: data)
  }

  /// Lists a new key in place of the old one: the next root, signed by both, then the manifest in place signed by both
  /// as well, so that a reader who has not followed yet and one who has can both check it.
  ///
  /// The other way round a reader could meet a manifest that its root does not vouch for.
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
      // Keys before these two are in no root that a reader could still need, and an envelope has room for 16.
      envelope.signatures.removeAll { $0.keyID != old.verifying.id }
      try new.sign(&envelope)
      try DurableFile.replace(manifestPath, with: Data(envelope.encoded()))
    }
    try reveal(next, signedBy: [old, new])
    return next
  }
}
