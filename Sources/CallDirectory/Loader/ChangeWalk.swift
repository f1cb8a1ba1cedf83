// SPDX-License-Identifier: Apache-2.0

/// The differences between the entries that the system has and those that it should have, ascending by number.
struct ChangeWalk {
  /// The removals and additions of one number, at most four calls.
  struct Change {
    var number: Int64
    var removesBlocking = false
    var removesIdentification = false
    var addsBlocking = false
    /// A new name is both removed and added, because an addition alone would keep the old name.
    var addsIdentification = false

    var operations: Int {
      [removesBlocking, removesIdentification, addsBlocking, addsIdentification].reduce(0) { $0 + ($1 ? 1 : 0) }
    }
  }

  private let old: MergedEntries?
  private let new: MergedEntries
  private var oldHead: Int64
  private var newHead: Int64
  private var consumesOld = true
  private var consumesNew = true

  /// Starts a walk from `old`, or from an empty store, to `new`.
  init(from old: MergedEntries?, to new: MergedEntries) {
    self.old = old
    self.new = new
    oldHead = 0
    newHead = 0
  }

  /// The name that the last returned change adds, as UTF-8.
  var label: [UInt8] { new.label }

  /// Returns the next number that differs, or nil at the end.
  mutating func next() throws -> Change? {
    while true {
      if consumesOld { oldHead = try old?.next() == true ? old?.number ?? .max : .max }
      if consumesNew { newHead = try new.next() ? new.number : .max }
      let number = min(oldHead, newHead)
      guard number < .max else {
        (consumesOld, consumesNew) = (false, false)
        return nil
      }
      consumesOld = oldHead == number
      consumesNew = newHead == number
      var change = Change(number: number)
      if consumesOld, let old {
        change.removesBlocking = old.blocks && !(consumesNew && new.blocks)
        change.removesIdentification = !old.label.isEmpty && !(consumesNew && new.label == old.label)
      }
      if consumesNew {
        let (hadBlock, hadLabel) = consumesOld ? (old?.blocks ?? false, old?.label ?? []) : (false, [])
        change.addsBlocking = new.blocks && !hadBlock
        change.addsIdentification = !new.label.isEmpty && new.label != hadLabel
      }
      if change.operations > 0 { return change }
    }
  }
}
