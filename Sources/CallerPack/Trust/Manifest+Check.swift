extension Manifest {
  /// The rules of a manifest beyond its types: what a reader relies on when it makes paths and takes memory of it.
  /// - Throws: ``UpdateError/malformed(_:)`` naming field and rule.
  func check() throws(UpdateError) {
    try rule(serial >= 1, "serial is 1 or more")
    try rule(asOf <= issued && issued < expires, "as_of is not after issued, and issued is before expires")
    if let previous {
      try rule((1..<serial).contains(previous.serial), "previous.serial is 1 or more and less than serial")
      try rule(PackDigest(document: previous.sha256) != nil, "previous.sha256 is 64 lower-case hex digits")
    }
    var last = ""
    for pack in packs {
      try rule(Self.isName(pack.name), "the name of a pack is 1 to 64 of a-z 0-9 - _ . and begins with a-z or 0-9")
      try rule(pack.name > last, "packs are in the order of their names, each once (\(pack.name))")
      last = pack.name
      try check(pack)
    }
  }

  private func check(_ pack: ManifestPack) throws(UpdateError) {
    let name = pack.name
    try rule(PackKind(manifestName: pack.kind) != nil, "kind is blocking, identification or both (\(name))")
    try rule((1...serial).contains(pack.serial), "a pack's serial is 1 to the manifest's (\(name))")
    try rule((0...PackLimits.entries).contains(pack.entries), "entries are 0 to \(PackLimits.entries) (\(name))")
    try rule((pack.shard ?? 1) >= 1, "shard is 1 or more (\(name))")
    let ends = [pack.first, pack.last].compactMap(\.self)
    try rule(
      ends.count == (pack.entries == 0 ? 0 : 2) && ends == ends.sorted()
        && ends.allSatisfy { (PackLimits.leastNumber...PackLimits.greatestNumber).contains($0) },
      "first and last are the ends of the entries (\(name))")
    try check(pack.path, pack.bytes, pack.sha256, of: name)
    try rule(PackDigest(document: pack.contentSHA256) != nil, "content_sha256 is 64 lower-case hex digits (\(name))")
    for delta in pack.deltas {
      try check(delta.path, delta.bytes, delta.sha256, of: name)
      try rule(PackDigest(document: delta.fromSHA256) != nil, "from_sha256 is 64 lower-case hex digits (\(name))")
      try rule((1..<pack.serial).contains(delta.fromSerial), "from_serial is less than the pack's serial (\(name))")
    }
    for file in pack.formats {
      try check(file.path, file.bytes, file.sha256, of: name)
      try rule(Self.isName(file.format), "the name of a format is 1 to 64 of a-z 0-9 - _ . (\(name))")
    }
  }

  private func check(_ path: String, _ bytes: Int, _ sha256: String, of name: String) throws(UpdateError) {
    try rule(Self.isPath(path), "a path is relative and stays in its folder (\(name))")
    try rule((0...PackLimits.fileBytes).contains(bytes), "bytes are 0 to \(PackLimits.fileBytes) (\(name))")
    try rule(PackDigest(document: sha256) != nil, "sha256 is 64 lower-case hex digits (\(name))")
  }

  private func rule(_ holds: Bool, _ text: String) throws(UpdateError) {
    guard holds else { throw .malformed("In the manifest \(text)") }
  }

  /// Whether a name may stand in a file name.
  public static func isName(_ text: String) -> Bool {
    guard (1...64).contains(text.utf8.count), let first = text.utf8.first else { return false }
    return isPlain(first) && text.utf8.allSatisfy { isPlain($0) || $0 == 0x2D || $0 == 0x5F || $0 == 0x2E }
      && !text.contains("..")
  }

  /// Whether a path is relative and leads nowhere but down, through plain names only.
  public static func isPath(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    return (1...3).contains(parts.count) && text.utf8.count <= 200
      && parts.allSatisfy { part in
        guard let first = part.utf8.first else { return false }
        return isPlain(first) && part.utf8.allSatisfy { isPlain($0) || $0 == 0x2D || $0 == 0x5F || $0 == 0x2E }
      }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
  }
}

extension PackKind {
  /// The kind as manifests name it; nil for any other word.
  public init?(manifestName: String) {
    guard let kind = Self.allCases.first(where: { "\($0)" == manifestName }) else { return nil }
    self = kind
  }
}

extension PackDigest {
  /// A digest as documents write it: in lower case only, so that one content has one form.
  init?(document: String) {
    self.init(hex: document)
    guard hex == document else { return nil }
  }
}
