import CallerPack
import Storage

/// Those numbers of a spool that packs hold. Former versions kept all that was over its threshold, and what found no room
/// was not published.
struct HeldRows: Sequence, Sendable {
  let spool: ListedSpool
  /// Paths of the packs to look into.
  let packs: [String]

  func makeIterator() -> AnyIterator<Listing> {
    var rows = spool.makeIterator()
    var walks = packs.compactMap { try? PackWalk($0) }
    return AnyIterator {
      while let row = rows.next() {
        var isHeld = false
        for index in walks.indices where walks[index].holds(row.number) { isHeld = true }
        if isHeld { return row }
      }
      return nil
    }
  }

  /// A cursor that is asked for ascending numbers.
  private struct PackWalk {
    private let cursor: PackCursor
    private var isOpen: Bool

    init(_ path: String) throws {
      cursor = try PackReader.open(path: path).makeCursor()
      isOpen = try cursor.next()
    }

    mutating func holds(_ number: Int64) -> Bool {
      while isOpen, cursor.number < number { isOpen = (try? cursor.next()) ?? false }
      return isOpen && cursor.number == number
    }
  }
}
