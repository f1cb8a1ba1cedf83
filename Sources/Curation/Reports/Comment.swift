// SPDX-License-Identifier: Apache-2.0

/// The rule for comments of reports. PostgreSQL's text has no NUL, and its length is in code points.
public enum CommentRule {
  /// The most code points.
  public static let maxLength = 500

  public static func allows(_ comment: String) -> Bool {
    comment.unicodeScalars.count <= maxLength && !comment.unicodeScalars.contains("\0")
  }

  public static func cut(_ comment: String) -> String {
    String(String.UnicodeScalarView(comment.unicodeScalars.filter { $0 != "\0" }.prefix(maxLength)))
  }
}

/// A key that is equal for comments with the same text in slightly different spelling.
public enum CommentKey {
  /// The least number of letters and digits of a text that is compared: "Spam call" is too common.
  static let minCharacters = 12

  /// FNV-1a over the text's letters and digits in lowercase; nil for fewer than twelve.
  ///
  /// Punctuation, spaces and symbols are ignored, so that an additional dot does not change the key. Two different
  /// texts have the same key with a probability of 2⁻⁶⁴. Source: Fowler, Noll, Vo, draft-eastlake-fnv.
  public static func key(of comment: String?) -> UInt64? {
    guard let comment else { return nil }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    var count = 0
    for scalar in comment.unicodeScalars where scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
      count += 1
      for byte in scalar.properties.lowercaseMapping.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return count >= minCharacters ? hash : nil
  }
}
