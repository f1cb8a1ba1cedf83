// SPDX-License-Identifier: Apache-2.0

import CallerPack

/// The lists that a store keeps by content: those that were loaded, and those that are being loaded.
///
/// A list is added only after all of it was read, so that a request cannot fail at a damaged block.
struct ListStore: Sendable {
  let folder: StoreFolder
  /// The most entries of the extension.
  let maximumEntries: Int

  /// Adds a pack and returns its SHA-256 in hexadecimal.
  /// - Throws: `PackError`, and ``CallDirectoryError`` for errors of files.
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

  /// Adds a personal list and returns its SHA-256 in hexadecimal.
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

  /// Returns whether every list of a snapshot is there with unchanged content.
  func holds(_ snapshot: DirectorySnapshot) -> Bool {
    snapshot.packs.allSatisfy { isIntact($0, DirectorySnapshot.packName($0)) }
      && snapshot.personal.map { isIntact($0, DirectorySnapshot.personalName($0)) } ?? true
  }

  private func readers(of snapshot: DirectorySnapshot) throws -> [PackReader] {
    try snapshot.packs.map { try PackReader.open(path: folder.path(of: DirectorySnapshot.packName($0))) }
  }

  /// The ranges of a snapshot that an extension has no room for.
  func limit(of snapshot: DirectorySnapshot) throws -> RangeLimit {
    try RangeLimit(try readers(of: snapshot), maximum: maximumEntries)
  }

  /// Returns the entries of a snapshot from a number on, without the ranges that an extension has no room for.
  func entries(of snapshot: DirectorySnapshot, from number: Int64) throws -> MergedEntries {
    let readers = try readers(of: snapshot)
    let longest = try RangeLimit(readers, maximum: maximumEntries).longest
    let cursors = try readers.map { try LimitedPack($0, from: number, longest: longest) }
    let personal = try snapshot.personal.map {
      try PersonalCursor(path: folder.path(of: DirectorySnapshot.personalName($0)))
    }
    return try MergedEntries(packs: cursors, personal: personal, from: number)
  }

  private func isIntact(_ digest: String, _ name: String) -> Bool {
    (try? PackDigest.ofFile(folder.path(of: name)))?.hex == digest
  }
}

/// The lists that an extension was given, identified by content: a replaced file makes another snapshot.
struct DirectorySnapshot: Equatable, Sendable {
  /// SHA-256 of each pack in hexadecimal, in order of priority.
  var packs: [String]
  /// SHA-256 of the personal list; nil when there was none.
  var personal: String?

  static func packName(_ digest: String) -> String { digest + ".pack" }
  static func personalName(_ digest: String) -> String { digest + ".personal" }

  /// The names of its files in the store.
  var fileNames: [String] { packs.map(Self.packName) + [personal].compactMap { $0.map(Self.personalName) } }

  /// `personal,pack,pack…`, a hyphen for no personal list.
  var text: String { ([personal ?? "-"] + packs).joined(separator: ",") }

  init(packs: [String], personal: String?) {
    self.packs = packs
    self.personal = personal
  }

  init?(text: Substring) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let isDigest = { (part: String) in part.utf8.count == 64 && part.allSatisfy(\.isHexDigit) }
    guard let first = parts.first, first == "-" || isDigest(first), parts.dropFirst().allSatisfy(isDigest) else {
      return nil
    }
    self.init(packs: Array(parts.dropFirst()), personal: first == "-" ? nil : first)
  }
}

/// The content of the system's store after a successful request.
///
/// A list that needs several requests is loaded up to a number; beyond it, the store is unchanged.
struct LoadedState: Equatable, Sendable {
  /// The lists of the numbers up to ``upTo``.
  var lists: DirectorySnapshot
  /// The last number that equals ``lists``; `Int64.max` for all numbers.
  var upTo: Int64
  /// The lists of the numbers beyond ``upTo``; nil when there are none.
  var before: DirectorySnapshot?

  var isComplete: Bool { upTo == .max }
}
