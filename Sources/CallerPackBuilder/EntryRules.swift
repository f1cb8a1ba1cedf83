// SPDX-License-Identifier: Apache-2.0

internal import CallerPack

/// Checks the rules of entries, one entry after another.
struct EntryRules {
  private let kind: PackKind
  private let maximum: Int
  private var last: Int64 = 0
  private var additions = 0
  private var identifying = 0
  private var longest = 0
  private var open = true
  /// The number of entries accepted so far.
  private(set) var count = 0

  init(_ options: PackWriter.Options) {
    kind = options.kind
    maximum = options.maximumEntries
  }

  static func check(_ options: PackWriter.Options) throws(PackError) {
    guard options.region.utf8.count <= PackLimits.regionBytes, options.region.utf8.allSatisfy(PackHeader.isRegionByte)
    else {
      throw PackError(
        .badEntry, "a region's name has at most \(PackLimits.regionBytes) of A-Z a-z 0-9 . _ -",
        got: "\"\(options.region)\"")
    }
    guard (1...PackLimits.entries).contains(options.maximumEntries) else {
      throw PackError(
        .badEntry, "the most entries of a pack is out of range", expected: "1 to \(PackLimits.entries)",
        got: "\(options.maximumEntries)")
    }
  }

  /// - Parameter numbers: one number, or several that follow each other and have the same roles and label.
  mutating func accept(
    _ numbers: ClosedRange<Int64>, roles: PackRoles, label: UnsafeRawBufferPointer
  ) throws(PackError) {
    let number = numbers.lowerBound
    func bad(_ rule: String, expected: String? = nil, got: String? = nil, remedy: String? = nil) -> PackError {
      PackError(.badEntry, rule, expected: expected, got: got, remedy: remedy, entry: count, number: number)
    }
    guard open else { throw PackError(.misuse, "the pack is finished already") }
    guard number >= PackLimits.minNumber else { throw bad("a number is 1 or more") }
    guard numbers.upperBound <= PackLimits.maxNumber else { throw bad("a number has 15 digits at most") }
    guard number != last else { throw bad("a number is in the list twice", remedy: "remove the duplicate") }
    guard number > last else {
      throw bad("numbers ascend", expected: "more than \(last)", remedy: "sort the list by number")
    }
    let allowed: Bool =
      switch kind {
      case .blocking: roles == .blocks
      case .identification: roles == .identifies
      case .both: roles == .blocks || roles == .identifies || roles == [.blocks, .identifies]
      }
    guard allowed else { throw bad("the entry's roles do not fit a pack of kind \(kind)") }
    if roles.contains(.identifies) {
      guard label.count > 0 else { throw bad("a label is not empty") }
      guard label.count <= PackLimits.labelBytes else {
        throw bad("a label is too long", expected: "\(PackLimits.labelBytes) bytes at most", got: "\(label.count)")
      }
      guard UTF8Rule.isValid(label) else { throw bad("a label is UTF-8") }
      longest = max(longest, label.count)
      identifying += numbers.count
      guard identifying * longest <= PackLimits.totalLabelBytes else {
        throw bad(
          "the labels are too long for so many entries",
          expected: "\(PackLimits.totalLabelBytes) at most for entries times bytes of the longest label",
          got: "\(identifying) times \(longest)", remedy: "shorten the longest labels or split the list by region")
      }
    } else {
      guard label.count == 0 else { throw bad("an entry that only blocks has no label") }
    }
    let weight = (roles == [.blocks, .identifies] ? 2 : 1) * numbers.count
    guard additions + weight <= maximum else {
      throw bad("the pack is full", expected: "\(maximum) additions at most", remedy: "split the list by region")
    }
    additions += weight
    count += numbers.count
    last = numbers.upperBound
  }

  mutating func end() throws(PackError) {
    guard open else { throw PackError(.misuse, "the pack is finished already") }
    open = false
  }

  mutating func close() { open = false }
}
