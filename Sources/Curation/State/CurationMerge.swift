/// Puts rulings and approved ranges between the numbers that are listed because of reports, all in ascending order.
///
/// A number is handed over once: as its ruling says; else as its reports say; else as its range says.
public struct CurationMerge: Sendable {
  private let state: CurationState
  private let ranges: [ListedNumber]
  private var ruling = 0
  private var range = 0

  /// - Parameter state: of the snapshot that the reports are read from.
  public init(_ state: CurationState) {
    self.state = state
    ranges = state.rangeNumbers()
  }

  /// What comes up to and with these numbers.
  /// - Parameter reported: what reports say of numbers that are listed by them, or that are ruled, ascending and after
  ///   those handed in before. Of ruled numbers only the figures and, where the ruling names none, the category are used.
  public mutating func take(_ reported: [ListedNumber]) -> [ListedNumber] {
    var all: [ListedNumber] = []
    for item in reported {
      appendDue(before: item.number, to: &all)
      if range < ranges.count, ranges[range].number == item.number { range += 1 }
      guard ruling < state.rulings.count, state.rulings[at: ruling].number == item.number else {
        all.append(item)
        continue
      }
      let entry = state.rulings[at: ruling]
      if var listed = state.listed(at: ruling) {
        (listed.heat, listed.evidence, listed.identifications) = (item.heat, item.evidence, item.identifications)
        if entry.category == nil { listed.category = item.category }
        all.append(listed)
      }
      ruling += 1
    }
    return all
  }

  /// What comes after all that was handed in.
  public mutating func finish() -> [ListedNumber] {
    var all: [ListedNumber] = []
    appendDue(before: .max, to: &all)
    return all
  }

  private mutating func appendDue(before number: Int64, to all: inout [ListedNumber]) {
    while true {
      let nextRuling = ruling < state.rulings.count ? state.rulings[at: ruling].number : .max
      let nextRange = range < ranges.count ? ranges[range].number : .max
      guard min(nextRuling, nextRange) < number else { return }
      if nextRuling <= nextRange {
        if let listed = state.listed(at: ruling) { all.append(listed) }
        ruling += 1
        if nextRange == nextRuling { range += 1 }
      } else {
        all.append(ranges[range])
        range += 1
      }
    }
  }
}
