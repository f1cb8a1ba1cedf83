// SPDX-License-Identifier: Apache-2.0

/// The sizes beyond which a row is rejected.
public enum ComplaintLimits {
  /// Bytes of UTF-8 in a raw number. Longer ones are not numbers.
  public static let numberBytes = 250
  /// Unicode scalars in a comment.
  public static let commentCharacters = 500
  /// Bytes of UTF-8 in a reporter's pseudonym.
  public static let reporterBytes = 200
  /// Bytes of a rejected line that are kept for the file of rejects.
  public static let rejectTextBytes = 1_000
}
