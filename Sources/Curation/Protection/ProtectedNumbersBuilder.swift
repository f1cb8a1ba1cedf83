// SPDX-License-Identifier: Apache-2.0

/// Collects protected numbers one after another; equal reasons are stored once.
public struct ProtectedNumbersBuilder: Sendable {
  private var numbers: [(number: Int64, reason: UInt32)] = []
  private var blocks: [(block: ClosedRange<Int64>, reason: UInt32)] = []
  private var reasons: [OperatorReason] = []
  private var places: [OperatorReason: UInt32] = [:]
  private let shortNumber: @Sendable (Int64) -> ProtectionReason?

  /// - Parameter shortNumber: see ``ProtectedNumbers``.
  public init(shortNumber: @escaping @Sendable (Int64) -> ProtectionReason? = { _ in nil }) {
    self.shortNumber = shortNumber
  }

  /// Protects one number.
  public mutating func add(_ number: Int64, reason: String) {
    numbers.append((number, place(of: OperatorReason(text: reason))))
  }

  /// Protects all numbers of a pattern.
  public mutating func add(_ pattern: ProtectedPattern, reason: String) {
    let place = place(of: OperatorReason(text: reason, pattern: pattern.text))
    for block in pattern.blocks { blocks.append((block, place)) }
  }

  /// The collected numbers, ready for lookups.
  public consuming func finish() -> ProtectedNumbers {
    let isInOrder = zip(numbers, numbers.dropFirst()).allSatisfy { $0.number <= $1.number }
    // The sort is stable: of two reasons for one number the first counts.
    if !isInOrder { numbers.sort { $0.number < $1.number } }
    blocks.sort { ($0.block.lowerBound, $0.block.upperBound) < ($1.block.lowerBound, $1.block.upperBound) }
    return ProtectedNumbers(numbers: numbers, blocks: blocks, reasons: reasons, shortNumber: shortNumber)
  }

  private mutating func place(of reason: OperatorReason) -> UInt32 {
    if let place = places[reason] { return place }
    let place = UInt32(reasons.count)
    reasons.append(reason)
    places[reason] = place
    return place
  }
}
