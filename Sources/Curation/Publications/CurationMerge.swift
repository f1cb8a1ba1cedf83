// SPDX-License-Identifier: Apache-2.0

/// Merges decisions and approved ranges with the numbers that reports list, all in ascending order.
///
/// Each number is returned once: by its decision; otherwise by its reports; otherwise by its range.
public struct CurationMerge: Sendable {
  private let state: CurationState
  private let ranges: [ListedNumber]
  private var decision = 0
  private var range = 0

  /// - Parameter state: the state in the snapshot that the reports are read from.
  public init(_ state: CurationState) {
    self.state = state
    ranges = state.rangeNumbers()
  }

  /// All listed numbers up to the last of these numbers.
  /// - Parameter reported: numbers that are listed by reports or decided, ascending and after those of earlier calls.
  ///   Of decided numbers only the figures and, where the decision has none, the category are used.
  public mutating func take(_ reported: [ListedNumber]) -> [ListedNumber] {
    var all: [ListedNumber] = []
    for item in reported {
      appendDue(before: item.number, to: &all)
      if range < ranges.count, ranges[range].number == item.number { range += 1 }
      guard decision < state.decisions.count, state.decisions[at: decision].number == item.number else {
        all.append(item)
        continue
      }
      let entry = state.decisions[at: decision]
      if var listed = state.listed(at: decision) {
        (listed.heat, listed.evidence, listed.identifications) = (item.heat, item.evidence, item.identifications)
        if entry.category == nil { listed.category = item.category }
        all.append(listed)
      }
      decision += 1
    }
    return all
  }

  /// The listed numbers after the last call.
  public mutating func finish() -> [ListedNumber] {
    var all: [ListedNumber] = []
    appendDue(before: .max, to: &all)
    return all
  }

  private mutating func appendDue(before number: Int64, to all: inout [ListedNumber]) {
    while true {
      let nextDecision = decision < state.decisions.count ? state.decisions[at: decision].number : .max
      let nextRange = range < ranges.count ? ranges[range].number : .max
      guard min(nextDecision, nextRange) < number else { return }
      if nextDecision <= nextRange {
        if let listed = state.listed(at: decision) { all.append(listed) }
        decision += 1
        if nextRange == nextDecision { range += 1 }
      } else {
        all.append(ranges[range])
        range += 1
      }
    }
  }
}
