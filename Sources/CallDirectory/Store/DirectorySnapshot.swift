/// Which lists an extension was given: content, not file names, so that a replaced file is another snapshot.
struct DirectorySnapshot: Equatable, Sendable {
  /// SHA-256 of each pack in hexadecimal, the first in priority first.
  var packs: [String]
  /// SHA-256 of the personal list, or nil where there was none.
  var personal: String?

  static func packName(_ digest: String) -> String { digest + ".pack" }
  static func personalName(_ digest: String) -> String { digest + ".personal" }

  /// The files of the store that hold it.
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

/// What the system's store holds when a request has succeeded.
///
/// A list that takes several requests is loaded up to a number; beyond it the store is as it was before.
struct LoadedState: Equatable, Sendable {
  /// What numbers up to ``upTo`` come from.
  var lists: DirectorySnapshot
  /// The last number that is as in ``lists``; `Int64.max` when all are.
  var upTo: Int64
  /// What numbers beyond ``upTo`` come from; nil when there are none.
  var before: DirectorySnapshot?

  var isComplete: Bool { upTo == .max }
}
