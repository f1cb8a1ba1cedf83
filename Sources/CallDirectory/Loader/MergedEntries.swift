// SPDX-License-Identifier: Apache-2.0

import CallerPack

/// The entries of several packs and a personal list as one ascending list, each number once.
///
/// A number is blocked when any pack blocks it. Its name is the name of the first pack, in order of priority, that has
/// one. The personal list overrides both. It needs the memory of the cursors and one label.
final class MergedEntries {
  private(set) var number: Int64 = 0
  private(set) var blocks = false
  /// The UTF-8 of the current name; empty when there is none.
  private(set) var label: [UInt8] = []

  private let packs: [LimitedPack]
  private let personal: PersonalCursor?
  /// The current number of each pack's cursor; `Int64.max` at the end.
  private var heads: [Int64]
  private var personalHead: Int64

  init(packs: [LimitedPack], personal: PersonalCursor?, from first: Int64) throws {
    self.packs = packs
    self.personal = personal
    heads = packs.map { _ in .max }
    personalHead = .max
    for index in packs.indices { try advance(index) }
    repeat { try advancePersonal() } while personalHead < first
  }

  /// Moves to the next number that is blocked or named; false at the end.
  func next() throws -> Bool {
    repeat {
      number = personalHead
      for head in heads where head < number { number = head }
      guard number < .max else { return false }
      blocks = false
      label.removeAll(keepingCapacity: true)
      for index in heads.indices where heads[index] == number {
        let cursor = packs[index]
        if cursor.roles.contains(.blocks) { blocks = true }
        if label.isEmpty, cursor.roles.contains(.identifies) { cursor.appendLabel(to: &label) }
        try advance(index)
      }
      if let personal, personalHead == number {
        if let says = personal.blocks { blocks = says }
        if let says = personal.identifies { label = says ? personal.label : [] }
        try advancePersonal()
      }
    } while !blocks && label.isEmpty
    return true
  }

  private func advance(_ index: Int) throws {
    heads[index] = try packs[index].next() ? packs[index].number : .max
  }

  private func advancePersonal() throws {
    guard let personal else { return }
    personalHead = try personal.next() ? personal.number : .max
  }
}

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
