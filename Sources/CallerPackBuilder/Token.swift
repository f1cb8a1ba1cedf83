// SPDX-License-Identifier: Apache-2.0

/// A token of a dictionary that is being trained.
struct Token: Hashable {
  var text: [UInt8]
  /// Whether the token starts a label.
  var starts: Bool
  /// Whether the token ends a label.
  var ends: Bool

  /// The index among a trie node's four values.
  var place: Int { (starts ? 0 : 2) | (ends ? 1 : 0) }
}
