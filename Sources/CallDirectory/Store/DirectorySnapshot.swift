// SPDX-License-Identifier: Apache-2.0

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
