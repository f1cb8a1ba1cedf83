// SPDX-License-Identifier: Apache-2.0

/// Walks a base and a delta side by side, ascending by number.
final class DeltaMerger {
  enum Event {
    /// The entry at the base's cursor stays unchanged. Reported only when every entry is visited.
    case kept
    /// The entry at the base's cursor is removed.
    case removed
    /// The entry at the base's cursor gets the roles and label of ``DeltaMerger/roles`` and ``DeltaMerger/label``.
    case changed
    /// ``DeltaMerger/number`` is added with the roles and label of ``DeltaMerger/roles`` and ``DeltaMerger/label``.
    case added
  }

  let base: PackCursor
  private let columns: DeltaColumns
  private let visitsAll: Bool
  private var removed: DeltaStream
  private var changed: DeltaStream
  private var added: DeltaStream
  private var labels: LabelDecoder?
  private var baseRank: Int64 = -1
  private var baseNumber: Int64?
  /// Whether the entry at the base's cursor was already reported.
  private var isPassed = false
  private(set) var number: Int64 = 0
  private(set) var roles: PackRoles
  private let kind: PackKind

  init(_ delta: PackDelta, _ columns: DeltaColumns, _ base: PackReader, visitsAll: Bool) throws(PackError) {
    guard base.header.kind == delta.header.kind, base.header.entryCount == delta.layout.baseEntries,
      base.header.serial == delta.header.baseSerial
    else {
      throw PackError(
        .malformed, "the delta's base has another kind, count or serial than the delta says",
        expected: "\(delta.header.kind), \(delta.layout.baseEntries) entries, serial \(delta.header.baseSerial)",
        got: "\(base.header.kind), \(base.header.entryCount) entries, serial \(base.header.serial)")
    }
    self.columns = columns
    self.visitsAll = visitsAll
    self.base = try base.makeCursor()
    kind = delta.header.kind
    removed = try columns.removed()
    changed = try columns.changed()
    added = try columns.added()
    labels = columns.labels()
    roles = kind == .identification ? .identifies : .blocks
    try nextBase()
  }

  /// The label of an event that has one.
  var label: UnsafeRawBufferPointer {
    roles.contains(.identifies) ? labels?.label ?? .init(start: nil, count: 0) : .init(start: nil, count: 0)
  }

  /// Moves to the next entry of the base that the caller needs.
  private func nextBase() throws(PackError) {
    baseNumber = nil
    if visitsAll {
      baseRank += 1
    } else {
      guard let rank = [removed.peek, changed.peek].compactMap({ $0 }).min() else { return }
      baseRank = rank
      try base.seek(rank: Int(rank))
    }
    if try base.next() { baseNumber = base.number }
  }

  /// Returns the next event; `nil` at the end. The base's cursor stays at the event's entry until the next call.
  func next() throws(PackError) -> Event? {
    if isPassed {
      isPassed = false
      try nextBase()
    }
    let before = number
    if let coming = added.peek, coming < baseNumber ?? Int64.max {
      number = coming
      try added.advance()
      try decode()
      return try ascending(.added, before)
    }
    guard let current = baseNumber else {
      try checkEnd()
      return nil
    }
    guard current != added.peek else {
      throw PackError(.malformed, "the delta adds a number that is there", number: current)
    }
    number = current
    isPassed = true
    let isRemoved = removed.peek == baseRank, isChanged = changed.peek == baseRank
    guard !(isRemoved && isChanged) else { throw PackError(.malformed, "the delta removes and changes one entry") }
    if isRemoved {
      try removed.advance()
      return try ascending(.removed, before)
    }
    guard isChanged else { return try ascending(.kept, before) }
    try changed.advance()
    try decode()
    guard roles != base.roles || !hasSameLabel else {
      throw PackError(.malformed, "the delta changes an entry into itself", number: number)
    }
    return try ascending(.changed, before)
  }

  private var hasSameLabel: Bool {
    base.withLabel { old in old.count == label.count && old.elementsEqual(label) }
  }

  /// At the end: each column has exactly the bytes that its values need.
  private func checkEnd() throws(PackError) {
    guard removed.endsCleanly, changed.endsCleanly, added.endsCleanly, labels?.endsCleanly ?? true else {
      throw PackError(.malformed, "a column of the delta has another length than declared", remedy: "fetch it again")
    }
  }

  private func ascending(_ event: Event, _ before: Int64) throws(PackError) -> Event {
    guard number > before else { throw PackError(.malformed, "the delta's numbers do not ascend", number: number) }
    return event
  }

  private func decode() throws(PackError) {
    guard kind != .blocking, labels != nil else { return }
    if let failure = labels?.next() { throw failure.error }
    if let labels { roles = labels.roles }
  }
}
