// SPDX-License-Identifier: Apache-2.0

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

  /// Returns the position in `block` of the first number that is at least `number`; loads the block when another one is
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
