/// What two comments have in common that say the same in slightly other writing.
public enum CommentKey {
  /// The fewest letters and digits of a text worth comparing: "Spam call" comes from everybody.
  public static let leastCharacters = 12

  /// FNV-1a over the text's letters and digits in lower case; nil for fewer than twelve.
  ///
  /// Marks, spaces and signs are dropped, so that a dot more or less makes no other text. Two texts share a key by chance
  /// once in 2⁶⁴. Source: Fowler, Noll, Vo, draft-eastlake-fnv.
  public static func key(of comment: String?) -> UInt64? {
    guard let comment else { return nil }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    var count = 0
    for scalar in comment.unicodeScalars where scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
      count += 1
      for byte in scalar.properties.lowercaseMapping.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return count >= leastCharacters ? hash : nil
  }
}
