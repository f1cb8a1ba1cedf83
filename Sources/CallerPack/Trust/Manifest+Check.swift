// SPDX-License-Identifier: Apache-2.0

extension ManifestHead {
  /// Checks the rules of a head beyond its types.
  /// - Throws: ``UpdateError/malformed(_:)`` with the field and the rule.
  func check() throws(UpdateError) {
    try rule(serial >= 1, "serial is 1 or more")
    try rule(asOf <= issued && issued < expires, "as_of is not after issued, and issued is before expires")
    if let previous {
      try rule((1..<serial).contains(previous.serial), "previous.serial is 1 or more and less than serial")
      try rule(PackDigest(document: previous.sha256) != nil, "previous.sha256 is 64 lower-case hex digits")
    }
    try rule(
      (1...Self.mostBins).contains(bins.count) && bins.count.nonzeroBitCount == 1,
      "the number of bins is a power of two, at most \(Self.mostBins)")
    try rule(bins.allSatisfy { PackDigest(document: $0) != nil }, "a bin is 64 lower-case hex digits")
  }
}

extension ManifestBin {
  /// Checks the rules of a bin beyond its types.
  /// - Parameter isMember: returns whether a name belongs to this bin.
  /// - Throws: ``UpdateError/malformed(_:)`` with the field and the rule.
  func check(_ isMember: (String) -> Bool) throws(UpdateError) {
    for (name, sha256) in packs {
      try rule(Manifest.isName(name), "the name of a pack is 1 to 64 of a-z 0-9 - _ . and begins with a-z or 0-9")
      try rule(isMember(name), "a pack is in the bin of its name (\(name))")
      try rule(PackDigest(document: sha256) != nil, "a pack's digest is 64 lower-case hex digits (\(name))")
    }
  }
}

extension ManifestPack {
  /// Checks the rules of a description beyond its types, because readers derive paths and memory sizes from it.
  /// - Parameters:
  ///   - expected: the name under which the bin lists the pack.
  ///   - newest: the serial of the head.
  /// - Throws: ``UpdateError/malformed(_:)`` with the field and the rule.
  func check(named expected: String, newest: Int64) throws(UpdateError) {
    try rule(Manifest.isName(name) && name == expected, "a pack has the name that its bin gives it (\(expected))")
    try rule(PackKind(manifestName: kind) != nil, "kind is blocking, identification or both (\(name))")
    try rule((1...max(1, newest)).contains(serial), "a pack's serial is 1 to the manifest's (\(name))")
    try rule((0...PackLimits.entries).contains(entries), "entries are 0 to \(PackLimits.entries) (\(name))")
    try rule((shard ?? 1) >= 1, "shard is 1 or more (\(name))")
    let ends = [first, last].compactMap(\.self)
    try rule(
      ends.count == (entries == 0 ? 0 : 2) && ends == ends.sorted()
        && ends.allSatisfy { (PackLimits.leastNumber...PackLimits.greatestNumber).contains($0) },
      "first and last are the ends of the entries (\(name))")
    try check(path, bytes, sha256)
    try rule(PackDigest(document: contentSHA256) != nil, "content_sha256 is 64 lower-case hex digits (\(name))")
    for delta in deltas {
      try check(delta.path, delta.bytes, delta.sha256)
      try rule(PackDigest(document: delta.fromSHA256) != nil, "from_sha256 is 64 lower-case hex digits (\(name))")
      try rule(
        delta.fromSerial >= 1 && delta.fromSerial < serial, "from_serial is less than the pack's serial (\(name))")
    }
    for file in formats {
      try check(file.path, file.bytes, file.sha256)
      try rule(Manifest.isName(file.format), "the name of a format is 1 to 64 of a-z 0-9 - _ . (\(name))")
    }
  }

  private func check(_ path: String, _ bytes: Int, _ sha256: String) throws(UpdateError) {
    try rule(Manifest.isPath(path), "a path is relative and stays in its folder (\(name))")
    try rule((0...PackLimits.fileBytes).contains(bytes), "bytes are 0 to \(PackLimits.fileBytes) (\(name))")
    try rule(PackDigest(document: sha256) != nil, "sha256 is 64 lower-case hex digits (\(name))")
  }
}

private func rule(_ holds: Bool, _ text: @autoclosure () -> String) throws(UpdateError) {
  guard holds else { throw .malformed("In the manifest \(text())") }
}

extension Manifest {
  /// Returns whether a name is allowed in a file name.
  public static func isName(_ text: String) -> Bool {
    guard (1...64).contains(text.utf8.count), let first = text.utf8.first else { return false }
    return isPlain(first) && text.utf8.allSatisfy { isPlain($0) || $0 == 0x2D || $0 == 0x5F || $0 == 0x2E }
      && !text.contains("..")
  }

  /// Returns whether a path is relative, has plain names only and stays inside its folder.
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
  /// Creates a kind from its name in manifests; nil for any other word.
  public init?(manifestName: String) {
    guard let kind = Self.allCases.first(where: { "\($0)" == manifestName }) else { return nil }
    self = kind
  }
}

extension PackDigest {
  /// Creates a digest from the form of documents: lower-case digits only, so that one content has one form.
  init?(document: String) {
    self.init(hex: document)
    guard hex == document else { return nil }
  }
}
