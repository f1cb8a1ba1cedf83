// SPDX-License-Identifier: Apache-2.0

/// One change between two packs, as a Call Directory request needs it.
public struct PackChange: Sendable, Hashable {
  /// The direction of a change.
  public enum Action: Sendable, Hashable {
    /// Removes ``PackChange/roles`` from the number.
    case remove
    /// Adds ``PackChange/roles`` to the number.
    case add
  }
  /// The direction. Every removal comes before the first addition.
  public var action: Action
  /// The phone number.
  public var number: Int64
  /// The roles that are removed or added: in a `.both` pack only those that change. A new label is a removal and an
  /// addition of `.identifies`.
  public var roles: PackRoles
  /// The label of an addition that identifies; `nil` otherwise.
  public var label: String?

  /// Creates a change.
  public init(action: Action, number: Int64, roles: PackRoles, label: String? = nil) {
    self.action = action
    self.number = number
    self.roles = roles
    self.label = label
  }
}

/// Streams the changes of a delta: every removal, then every addition, each ascending.
///
/// ```swift
/// let changes = try delta.makeChanges(base: oldPack)
/// while let change = try changes.next() { apply(change) }
/// ```
///
/// Use a cursor from one thread at a time.
public final class PackChangeCursor {
  private let delta: PackDelta
  private let base: PackReader
  private let columns: DeltaColumns
  private var merger: DeltaMerger
  private var action = PackChange.Action.remove

  init(_ delta: PackDelta, _ base: PackReader) throws(PackError) {
    self.delta = delta
    self.base = base
    columns = try DeltaColumns(delta, base: base)
    merger = try DeltaMerger(delta, columns, base, visitsAll: false)
  }

  /// Returns the next change, or `nil` at the end.
  /// - Throws: ``PackError`` when the base or the delta cannot be read.
  public func next() throws(PackError) -> PackChange? {
    while true {
      while let event = try merger.next() {
        if let change = action == .remove ? removal(event) : addition(event) { return change }
      }
      guard action == .remove else { return nil }
      action = .add
      merger = try DeltaMerger(delta, columns, base, visitsAll: false)
    }
  }

  /// Whether the label stays, for an entry that identifies before and after.
  private var isSameLabel: Bool {
    merger.base.withLabel { old in
      let new = merger.label
      return old.count == new.count && old.elementsEqual(new)
    }
  }

  private func removal(_ event: DeltaMerger.Event) -> PackChange? {
    switch event {
    case .kept, .added: return nil
    case .removed: return PackChange(action: .remove, number: merger.number, roles: merger.base.roles)
    case .changed:
      var gone = merger.base.roles.subtracting(merger.roles)
      if merger.base.roles.intersection(merger.roles).contains(.identifies), !isSameLabel { gone.insert(.identifies) }
      return gone.isEmpty ? nil : PackChange(action: .remove, number: merger.number, roles: gone)
    }
  }

  private func addition(_ event: DeltaMerger.Event) -> PackChange? {
    var new = merger.roles
    switch event {
    case .kept, .removed: return nil
    case .added: break
    case .changed:
      new.subtract(merger.base.roles)
      if merger.base.roles.intersection(merger.roles).contains(.identifies), !isSameLabel { new.insert(.identifies) }
    }
    guard !new.isEmpty else { return nil }
    return PackChange(
      action: .add, number: merger.number, roles: new,
      label: new.contains(.identifies) ? String(decoding: merger.label, as: UTF8.self) : nil)
  }
}
