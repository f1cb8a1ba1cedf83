// SPDX-License-Identifier: Apache-2.0

/// Walks the entries of a pack in ascending order without allocating memory for an entry.
///
/// ```swift
/// let cursor = try reader.makeCursor()
/// while try cursor.next() { print(cursor.number, cursor.label ?? "") }
/// ```
///
/// A walk from the first entry to the end checks every rule of the format; ``next()`` throws at the first that is broken,
/// and at the end when the header's counts are wrong. Use a cursor from one thread at a time. Its memory is ``PackHeader/readerBytes``.
public final class PackCursor {
  /// The state that changes with every entry, behind a pointer so that the hot path has no checks of exclusive access.
  @usableFromInline
  struct State {
    /// The numbers of the current block.
    @usableFromInline var numbers: UnsafePointer<Int64>
    /// The position of the current entry in the block; -1 before the first.
    @usableFromInline var position = -1
    /// The number of entries of the current block.
    @usableFromInline var count = 0
    /// The roles of every entry of the pack; empty when each entry has its own.
    @usableFromInline var roles: PackRoles
    @usableFromInline var hasLabels = false
    var labels: LabelDecoder?
    /// The current block; -1 before the first.
    var block = -1
    /// Whether every entry so far was visited, so that the counts describe the complete pack.
    var visitsAll = true
    var blocking = 0
    var identifying = 0
    /// Bytes of the longest label so far.
    var longest = 0
  }

  @usableFromInline let state: UnsafeMutablePointer<State>
  let reader: PackReader
  private let buffer: BlockBuffer
  private let dictionary: PackDictionary?

  init(_ reader: PackReader) throws(PackError) {
    self.reader = reader
    dictionary = try reader.dictionary()
    buffer = BlockBuffer(reader.header, dictionary)
    state = .allocate(capacity: 1)
    state.initialize(
      to: State(
        numbers: UnsafePointer(buffer.numbers),
        roles: dictionary == nil ? .blocks : .identifies))
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Moves to the next entry; `false` at the end.
  /// - Throws: ``PackError`` when a block cannot be read.
  @inlinable
  public func next() throws(PackError) -> Bool {
    state.pointee.position &+= 1
    guard state.pointee.position < state.pointee.count else { return try advance() }
    if state.pointee.hasLabels { try decodeLabel() }
    return true
  }

  /// The number of the current entry; valid only after ``next()`` returned `true`.
  @inlinable public var number: Int64 {
    precondition(state.pointee.position >= 0 && state.pointee.position < state.pointee.count)
    return state.pointee.numbers[state.pointee.position]
  }

  /// The roles of the current entry; valid only after ``next()`` returned `true`.
  public var roles: PackRoles { state.pointee.roles }

  /// The position of the current entry in the pack, from 0.
  public var rank: Int { state.pointee.block * reader.header.blockEntries + state.pointee.position }

  /// Calls `body` with the UTF-8 bytes of the current label, which are valid inside `body` only; empty when there is
  /// none.
  /// - Returns: the result of `body`.
  public func withLabel<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    guard state.pointee.roles.contains(.identifies), let labels = state.pointee.labels else {
      return try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    return try body(labels.label)
  }

  /// The current label as a `String`; `nil` when the entry only blocks.
  public var label: String? {
    roles.contains(.identifies) ? withLabel { String(decoding: $0, as: UTF8.self) } : nil
  }

  /// The current entry as a value.
  public var entry: PackEntry { PackEntry(number: number, label: label, roles: roles) }

  @usableFromInline
  func decodeLabel() throws(PackError) {
    if let failure = state.pointee.labels?.next() { throw failure.error }
    guard let labels = state.pointee.labels else { return }
    state.pointee.roles = labels.roles
    state.pointee.blocking &+= Int(labels.roles.rawValue & 1)
    state.pointee.identifying &+= Int(labels.roles.rawValue >> 1)
    state.pointee.longest = max(state.pointee.longest, labels.label.count)
  }

  /// Moves to the first entry of the next block.
  @usableFromInline
  func advance() throws(PackError) -> Bool {
    if let labels = state.pointee.labels, !labels.endsCleanly {
      throw PackError(.malformed, "there are bits after the labels of block \(state.pointee.block)")
    }
    guard state.pointee.block + 1 < reader.index.count else {
      state.pointee.position = state.pointee.count
      try checkCounts()
      return false
    }
    try load(state.pointee.block + 1)
    return try next()
  }

  /// At the end: compares the header with what was counted. A pack without a dictionary has no roles to count.
  private func checkCounts() throws(PackError) {
    guard state.pointee.visitsAll, dictionary != nil else { return }
    let header = reader.header
    try PackHeader.check("blocking entries", declared: header.blockingCount, found: state.pointee.blocking)
    try PackHeader.check("identifying entries", declared: header.identificationCount, found: state.pointee.identifying)
    try PackHeader.check(
      "bytes of the longest label", declared: header.maximumLabelBytes, found: state.pointee.longest)
  }

  /// Loads a block and moves before its first entry.
  func load(_ block: Int) throws(PackError) {
    // A block that cannot be read leaves the cursor at its end, not among half-decoded numbers.
    state.pointee.count = 0
    state.pointee.position = 0
    state.pointee.block = block
    state.pointee.labels = nil
    state.pointee.hasLabels = false
    try buffer.load(reader.index[block], of: block, from: reader.source)
    state.pointee.count = reader.header.entries(inBlock: block)
    state.pointee.position = -1
    state.pointee.labels = buffer.labels
    state.pointee.hasLabels = buffer.labels != nil
  }
}

extension PackCursor {
  /// Moves before the first entry whose number is at least `number`, forwards or backwards.
  /// - Parameter number: country code and national digits; any value is allowed.
  /// - Throws: ``PackError`` when the block cannot be read.
  public func seek(_ number: Int64) throws(PackError) {
    guard reader.index.count > 0 else { return }
    let block = reader.index.block(for: number) ?? 0
    try stand(in: block, before: lowerBound(number, in: block))
  }

  /// Moves before the entry at `rank`, 0 to the number of entries.
  /// - Throws: ``PackError`` when the block cannot be read.
  package func seek(rank: Int) throws(PackError) {
    guard reader.index.count > 0 else { return }
    let block = min(rank / reader.header.blockEntries, reader.index.count - 1)
    let position = rank - block * reader.header.blockEntries
    state.pointee.visitsAll = false
    if state.pointee.block == block && state.pointee.position < position && state.pointee.count > 0 {
      return try skip(to: position)
    }
    try stand(in: block, before: position)
  }

  /// Returns the entry with this number, or `nil`.
  ///
  /// Afterwards the cursor is at that entry, or before the position that it would have.
  /// - Parameter number: country code and national digits.
  /// - Throws: ``PackError`` when the block cannot be read.
  public func lookup(_ number: Int64) throws(PackError) -> PackEntry? {
    guard let block = reader.index.block(for: number), number <= reader.header.lastNumber else { return nil }
    let position = try lowerBound(number, in: block)
    guard position < state.pointee.count, state.pointee.numbers[position] == number else { return nil }
    try stand(in: block, before: position)
    guard try next() else { return nil }
    return entry
  }

  /// Returns the position in `block` of the first number that is at least `number`; loads the block when a different one is
  /// loaded.
  private func lowerBound(_ number: Int64, in block: Int) throws(PackError) -> Int {
    state.pointee.visitsAll = false
    if state.pointee.block != block || state.pointee.count == 0 { try load(block) }
    return UnsafeBufferPointer(start: state.pointee.numbers, count: state.pointee.count)
      .partitioningIndex { $0 >= number }
  }

  private func stand(in block: Int, before position: Int) throws(PackError) {
    state.pointee.visitsAll = false
    // Labels are decoded in order, so going back decodes the block again.
    if state.pointee.block != block || state.pointee.count == 0 || state.pointee.position >= position {
      if state.pointee.block == block && state.pointee.count > 0 && !state.pointee.hasLabels {
        state.pointee.position = -1
      } else {
        try load(block)
      }
    }
    try skip(to: position)
  }

  /// Moves forward so that the next entry is the one at `position` of the block.
  private func skip(to position: Int) throws(PackError) {
    if state.pointee.hasLabels {
      while state.pointee.position + 1 < position { _ = try next() }
    } else {
      state.pointee.position = position - 1
    }
  }
}
