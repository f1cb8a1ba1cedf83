// SPDX-License-Identifier: Apache-2.0

import CallerPack

/// Reads two packs in parallel, ascending, with two blocks in memory.
struct PublicationDiffWalk {
  private let before: PackCursor?
  private let after: PackCursor?
  private var hasBefore = false
  private var hasAfter = false

  /// - Parameters: nil for a missing pack; the walk starts after `number`.
  init(before: PackReader?, after: PackReader?, behind number: Int64) throws {
    self.before = try before?.makeCursor(from: number + 1)
    self.after = try after?.makeCursor(from: number + 1)
    hasBefore = try self.before?.next() ?? false
    hasAfter = try self.after?.next() ?? false
  }

  /// The next number with its change; nil at the end.
  /// - Returns: `change` is nil for an unchanged number.
  mutating func next() throws -> (number: Int64, change: PublicationChange?)? {
    let left = hasBefore ? before?.number : nil
    let right = hasAfter ? after?.number : nil
    guard let number = [left, right].compactMap(\.self).min() else { return nil }
    let old = left == number ? before?.entry : nil
    let new = right == number ? after?.entry : nil
    if left == number { hasBefore = try before?.next() ?? false }
    if right == number { hasAfter = try after?.next() ?? false }
    return (number, PublicationChange(before: old, after: new))
  }
}
