// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Testing

@Suite struct DeltaTests {
  /// A successor with removed, added and changed entries.
  static func next(_ list: [PackEntry], _ kind: PackKind, _ random: inout Seeded) -> [PackEntry] {
    var result: [PackEntry] = []
    for entry in list {
      switch Int.random(in: 0..<12, using: &random) {
      case 0: continue
      case 1 where kind != .blocking:
        let roles: PackRoles =
          kind == .both ? [[.blocks, .identifies], .identifies].randomElement(using: &random)! : .identifies
        result.append(PackEntry(number: entry.number, label: "Relabelled \(entry.number % 7)", roles: roles))
      case 2 where entry.number > (result.last?.number ?? 0) + 1:
        var new = entry
        new.number -= 1
        result += [new, entry]
      default: result.append(entry)
      }
    }
    return result
  }

  /// The two lists of a phone after the changes.
  static func played(_ list: [PackEntry], _ cursor: PackChangeCursor) throws -> [PackEntry] {
    var blocked = Set(list.filter(\.isBlocked).map(\.number))
    var names = Dictionary(uniqueKeysWithValues: list.filter(\.isIdentified).map { ($0.number, $0.label) })
    var last: Int64 = 0, adds = false
    while let change = try cursor.next() {
      if change.action == .add && !adds { (adds, last) = (true, 0) }
      #expect(adds == (change.action == .add) && change.number > last && !change.roles.isEmpty)
      last = change.number
      if change.action == .remove {
        if change.roles.contains(.blocks) { #expect(blocked.remove(change.number) != nil) }
        if change.roles.contains(.identifies) { #expect(names.removeValue(forKey: change.number) != nil) }
      } else {
        if change.roles.contains(.blocks) { #expect(blocked.insert(change.number).inserted) }
        if change.roles.contains(.identifies) {
          #expect(names.updateValue(change.label, forKey: change.number) == nil && change.label != nil)
        }
      }
    }
    return blocked.union(names.keys).sorted().map { number in
      let roles: PackRoles =
        blocked.contains(number) ? (names[number] != nil ? [.blocks, .identifies] : .blocks) : .identifies
      return PackEntry(number: number, label: names[number] ?? nil, roles: roles)
    }
  }

  @Test(arguments: PackKind.allCases, [false, true]) func `applied deltas compose over several steps`(
    kind: PackKind, ownDictionary: Bool
  ) throws {
    let folder = try Folder()
    var random = Seeded(20 + UInt64(kind.rawValue))
    var list = randomEntries(kind, count: 700, &random)
    var base = try PackReader(bytes: packBytes(list, .init(kind: kind, serial: 1)))
    for step in 2...4 as ClosedRange<UInt64> {
      let successor = Self.next(list, kind, &random)
      let options = PackWriter.Options(
        kind: kind, region: "R\(step)", serial: step, createdAt: Int64(step), dictionary: ownDictionary ? nil : base)
      let bytes = try packBytes(successor, options)
      let result = try PackReader(bytes: bytes)
      try DeltaBuilder.build(from: base, to: result, out: folder.file("d"))
      let delta = try PackDelta.open(path: folder.file("d"))
      #expect(delta.header.baseSerial == step - 1 && delta.header.serial == step)
      try delta.apply(base: base, to: folder.file("b\(step)"))
      #expect(try contents(folder.file("b\(step)")) == bytes)
      #expect(try Self.played(list, delta.makeChanges(base: base)) == successor)
      // The next step uses the applied file, so the chain composes.
      base = try PackReader.open(path: folder.file("b\(step)"))
      list = successor
    }
    #expect(folder.names.sorted() == ["b2", "b3", "b4", "d"])
  }

  @Test func `a delta for another base is refused before anything is written`() throws {
    let folder = try Folder()
    let a = try PackReader(bytes: packBytes([.init(number: 1)], .init(kind: .blocking)))
    let b = try PackReader(bytes: packBytes([.init(number: 2)], .init(kind: .blocking, serial: 9)))
    try DeltaBuilder.build(from: a, to: b, out: folder.file("d"))
    let delta = try PackDelta.open(path: folder.file("d"))
    let error = #expect(throws: PackError.self) { try delta.apply(base: b, to: folder.file("b")) }
    #expect(error?.code == .wrongBase)
    #expect(throws: PackError.self) { try delta.makeChanges(base: b) }
    #expect(folder.names == ["d"])
    let labelled = try PackReader(bytes: packBytes([.init(number: 2, label: "x")], .init(kind: .identification)))
    #expect(throws: PackError.self) { try DeltaBuilder.build(from: a, to: labelled, out: folder.file("e")) }
  }

  @Test(arguments: PackKind.allCases) func `a delta works from and to an empty pack`(kind: PackKind) throws {
    let folder = try Folder()
    var random = Seeded(2)
    let list = randomEntries(kind, count: 50, &random)
    let empty = try PackReader(bytes: packBytes([], .init(kind: kind)))
    let full = try PackReader(bytes: packBytes(list, .init(kind: kind, serial: 1)))
    for (from, to) in [(empty, full), (full, empty), (full, full), (empty, empty)] {
      try DeltaBuilder.build(from: from, to: to, out: folder.file("d"))
      let delta = try PackDelta.open(path: folder.file("d"))
      try delta.apply(base: from, to: folder.file("b"))
      #expect(try PackReader.open(path: folder.file("b")).digest() == to.digest())
      #expect(try Self.played(entries(from), delta.makeChanges(base: from)) == entries(to))
    }
  }
}
