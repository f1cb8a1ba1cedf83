public import Foundation

/// The numbers a user blocked or named, and those the user does not want blocked or named.
///
/// What the user says goes before every pack. Removing a number leaves a mark: the number stays unblocked (or
/// unnamed) even where a pack lists it, until it is added again or the mark is forgotten. The list is small: the
/// app holds it in memory, and the extension reads its file an entry at a time.
public struct PersonalList: Sendable, Equatable {
  /// What the user said about one number, for blocking or for naming.
  public struct Entry: Sendable, Equatable {
    /// Country code and national digits without a plus.
    public var number: Int64
    /// The name to show; nil in the list of blocked numbers.
    public var label: String?
    /// When the user last said something about the number.
    public var modified: Date
    /// The removal mark.
    public var isRemoved: Bool
  }

  /// One number's statements.
  struct Record: Sendable, Equatable {
    var blocked: Statement?
    var identified: Statement?
    var label = ""

    struct Statement: Sendable, Equatable {
      var modified: Date
      var isRemoved: Bool
    }
  }

  var records: [Int64: Record] = [:]

  /// An empty list.
  public init() {}

  /// Numbers the user blocks, ascending.
  public var blocked: [Entry] { blockedWithMarks.filter { !$0.isRemoved } }

  /// Numbers the user named, ascending.
  public var identified: [Entry] { identifiedWithMarks.filter { !$0.isRemoved } }

  /// Blocked numbers and removal marks, ascending.
  public var blockedWithMarks: [Entry] {
    entries { record in record.blocked.map { ($0, nil) } }
  }

  /// Named numbers and removal marks, ascending.
  public var identifiedWithMarks: [Entry] {
    entries { record in record.identified.map { ($0, record.label) } }
  }

  /// Blocks a number; a removal mark on it goes.
  ///
  /// - Throws: ``CallDirectoryError/entry(number:rule:)`` for a number outside 1…999,999,999,999,999.
  public mutating func block(_ number: Int64, at time: Date = Date()) throws(CallDirectoryError) {
    try Self.check(number)
    records[number, default: Record()].blocked = .init(modified: time, isRemoved: false)
  }

  /// Names a number, anew where it has a name; a removal mark on it goes.
  ///
  /// - Throws: ``CallDirectoryError/entry(number:rule:)`` for a number out of range, or a label that is empty or has
  ///   65,535 UTF-8 bytes or more, which the system would drop without a word.
  public mutating func identify(_ number: Int64, label: String, at time: Date = Date()) throws(CallDirectoryError) {
    try Self.check(number)
    guard !label.isEmpty, label.utf8.count < CallDirectoryLimits.droppedLabelBytes else {
      throw .entry(number: number, rule: "a label has 1 to 65,534 bytes")
    }
    records[number, default: Record()].identified = .init(modified: time, isRemoved: false)
    records[number]?.label = label
  }

  /// Unblocks a number, whoever blocks it.
  ///
  /// - Throws: ``CallDirectoryError/entry(number:rule:)`` for a number out of range.
  public mutating func removeBlocked(_ number: Int64, at time: Date = Date()) throws(CallDirectoryError) {
    try Self.check(number)
    records[number, default: Record()].blocked = .init(modified: time, isRemoved: true)
  }

  /// Takes a number's name away, whoever gave it.
  ///
  /// - Throws: ``CallDirectoryError/entry(number:rule:)`` for a number out of range.
  public mutating func removeIdentified(_ number: Int64, at time: Date = Date()) throws(CallDirectoryError) {
    try Self.check(number)
    records[number, default: Record()].identified = .init(modified: time, isRemoved: true)
  }

  /// Unblocks every number that the user blocked.
  public mutating func removeAllBlocked(at time: Date = Date()) {
    for (number, record) in records where record.blocked?.isRemoved == false {
      records[number]?.blocked = .init(modified: time, isRemoved: true)
    }
  }

  /// Takes every name away that the user gave.
  public mutating func removeAllIdentified(at time: Date = Date()) {
    for (number, record) in records where record.identified?.isRemoved == false {
      records[number]?.identified = .init(modified: time, isRemoved: true)
    }
  }

  /// Forgets all that the user said about a number: the packs decide again.
  public mutating func forget(_ number: Int64) { records[number] = nil }

  private func entries(_ statement: (Record) -> (Record.Statement, String?)?) -> [Entry] {
    records.compactMap { number, record in
      statement(record).map {
        Entry(number: number, label: $0.1, modified: $0.0.modified, isRemoved: $0.0.isRemoved)
      }
    }.sorted { $0.number < $1.number }
  }

  private static func check(_ number: Int64) throws(CallDirectoryError) {
    guard (1...999_999_999_999_999).contains(number) else {
      throw .entry(number: number, rule: "a number has 1 to 15 digits and does not begin with 0")
    }
  }
}
