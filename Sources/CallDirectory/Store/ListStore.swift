internal import CallerPack

/// The lists that a store keeps by content: those that were loaded, and those that are being loaded.
///
/// Nothing enters it that was not read from the first byte to the last, so that a request cannot break off at a
/// damaged block.
struct ListStore: Sendable {
  let folder: StoreFolder

  /// Takes a pack in and returns its SHA-256 in hexadecimal.
  ///
  /// - Throws: what reading the pack throws.
  func take(pack path: String) throws -> String {
    let digest = try PackDigest.ofFile(path).hex
    if isIntact(digest, DirectorySnapshot.packName(digest)) { return digest }
    let name = try folder.adopt(path) { staged in
      let reader = try PackReader.open(path: staged)
      let digest = try reader.digest().hex
      try reader.verify()
      return DirectorySnapshot.packName(digest)
    }
    return String(name.prefix(64))
  }

  /// Takes a personal list in and returns its SHA-256 in hexadecimal.
  ///
  /// - Throws: ``CallDirectoryError/damaged(path:rule:)`` and errors of files.
  func take(personal path: String) throws -> String {
    let digest = try PackDigest.ofFile(path).hex
    if isIntact(digest, DirectorySnapshot.personalName(digest)) { return digest }
    let name = try folder.adopt(path) { staged in
      let cursor = try PersonalCursor(path: staged)
      while try cursor.next() {}
      return DirectorySnapshot.personalName(try PackDigest.ofFile(staged).hex)
    }
    return String(name.prefix(64))
  }

  /// Whether every list of a snapshot is there, bit for bit.
  func holds(_ snapshot: DirectorySnapshot) -> Bool {
    snapshot.packs.allSatisfy { isIntact($0, DirectorySnapshot.packName($0)) }
      && snapshot.personal.map { isIntact($0, DirectorySnapshot.personalName($0)) } ?? true
  }

  /// The entries of a snapshot from a number on.
  func entries(of snapshot: DirectorySnapshot, from number: Int64) throws -> MergedEntries {
    var cursors: [PackCursor] = []
    for digest in snapshot.packs {
      let reader = try PackReader.open(path: folder.path(of: DirectorySnapshot.packName(digest)))
      cursors.append(try reader.makeCursor(from: number))
    }
    let personal = try snapshot.personal.map {
      try PersonalCursor(path: folder.path(of: DirectorySnapshot.personalName($0)))
    }
    return try MergedEntries(packs: cursors, personal: personal, from: number)
  }

  private func isIntact(_ digest: String, _ name: String) -> Bool {
    (try? PackDigest.ofFile(folder.path(of: name)))?.hex == digest
  }
}
