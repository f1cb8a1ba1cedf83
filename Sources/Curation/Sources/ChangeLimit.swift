// SPDX-License-Identifier: Apache-2.0

/// How much one download of a list may change before a person has confirmed it. Large changes are mostly a file that was
/// cut, or an error of its owner.
public enum ChangeLimit {
  /// The former entries from which on changes are limited.
  static let minFormer = 100
  /// The share that a source may allow, in percent of the former entries.
  public static let percents = 1...1_000
  public static let usualPercent = 50

  /// Whether the number of former entries limits any change.
  public static func isLimited(former: Int) -> Bool { former >= minFormer }

  /// Whether so many entries may be added, or removed.
  public static func allows(_ changed: Int, of former: Int, percent: Int) -> Bool {
    !isLimited(former: former) || changed * 100 <= former * percent
  }

  /// The most listed numbers that a list of protected numbers may take out of the packs.
  /// - Parameter listed: all numbers of the packs.
  public static func maxFreed(listed: Int) -> Int { 100 + listed / 100 }
}
