// SPDX-License-Identifier: Apache-2.0

/// All decisions in force, in compact memory: about 14 bytes each, and every label once.
public struct StandingDecisions: Sendable {
  public struct Entry: Sendable, Equatable {
    /// E.164 digits.
    public var number: Int64
    public var treatment: Decision.Treatment
    public var category: ReportCategory?
    /// The label that phones show; nil for the category's label.
    public var label: String?
  }

  private var numbers: [Int64] = []
  private var decisions: [Decision.Treatment] = []
  private var categories: [Int8] = []
  private var labelPlaces: [Int32] = []
  private var labels: [String] = []
  private var places: [String: Int32] = [:]

  public init() {}

  public var count: Int { numbers.count }

  /// Adds a decision about a number greater than all before it.
  public mutating func append(_ decision: StandingDecision) {
    precondition(decision.number > numbers.last ?? 0, "decisions come in ascending order")
    numbers.append(decision.number)
    decisions.append(decision.treatment)
    categories.append(decision.category.map { Int8($0.rawValue) } ?? 0)
    labelPlaces.append(decision.label.map { place(of: $0) } ?? -1)
  }

  /// The decision at an index, in ascending order of number.
  /// - Parameter place: 0..<``count``.
  public subscript(at place: Int) -> Entry {
    Entry(
      number: numbers[place], treatment: decisions[place], category: ReportCategory(rawValue: Int16(categories[place])),
      label: labelPlaces[place] < 0 ? nil : labels[Int(labelPlaces[place])])
  }

  /// The index of the first decision about a number that is this one or greater; ``count`` where there is none.
  func firstPlace(atLeast number: Int64) -> Int { numbers.firstPlace(atLeast: number) }

  public func decision(of number: Int64) -> Entry? {
    let place = firstPlace(atLeast: number)
    return place < count && numbers[place] == number ? self[at: place] : nil
  }

  /// The decided numbers of a range, ascending.
  func all(in range: ClosedRange<Int64>) -> ArraySlice<Int64> { numbers.all(in: range) }

  private mutating func place(of label: String) -> Int32 {
    if let place = places[label] { return place }
    let place = Int32(labels.count)
    labels.append(label)
    places[label] = place
    return place
  }
}
