/// A token of a dictionary in the making.
struct Token: Hashable {
  var text: [UInt8]
  /// It starts a label.
  var starts: Bool
  /// It ends a label.
  var ends: Bool

  /// Its place among a trie node's four values.
  var place: Int { (starts ? 0 : 2) | (ends ? 1 : 0) }
}
