// SPDX-License-Identifier: Apache-2.0

internal import CallerPack

/// The entries of several packs and a personal list as one ascending list, each number once.
///
/// A number is blocked when any pack blocks it. Its name is the name of the first pack, in order of priority, that has
/// one. The personal list overrides both. The memory is that of the cursors and one label.
final class MergedEntries {
  private(set) var number: Int64 = 0
  private(set) var blocks = false
  /// The UTF-8 of the current name; empty when there is none.
  private(set) var label: [UInt8] = []

  private let packs: [PackCursor]
  private let personal: PersonalCursor?
  /// The current number of each pack's cursor; `Int64.max` at the end.
  private var heads: [Int64]
  private var personalHead: Int64

  init(packs: [PackCursor], personal: PersonalCursor?, from first: Int64) throws {
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
        if label.isEmpty, cursor.roles.contains(.identifies) {
          cursor.withLabel { label.append(contentsOf: $0) }
        }
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
