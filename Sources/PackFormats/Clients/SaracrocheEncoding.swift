// SPDX-License-Identifier: Apache-2.0

/// Saracroche's list: `{"version":"812","name":"…","patterns":[{"name":"…","action":"block","pattern":"33162######"}]}`.
///
/// Each `#` is any digit. Numbers of one label and action that fill ten, a hundred or more in a row become one pattern.
struct SaracrocheEncoding: RecordEncoding {
  /// The most `#` of a pattern, which a phone expands to a million entries.
  private static let mostDigits = 6

  /// Numbers that differ in their last digits only.
  private struct Pattern {
    let first: Int64
    /// How many last digits are free.
    let digits: Int
    /// How many numbers there are.
    let count: Int64
  }

  private let options: ExportOptions
  private var isFirst = true
  /// Patterns that follow each other without a gap, with the label and the action of `run`.
  private var patterns: [Pattern] = []
  private var run: (label: String, blocks: Bool)?

  init(options: ExportOptions) {
    self.options = options
  }

  func begin(into bytes: inout [UInt8]) {
    bytes.append("{\"version\":\"\(options.serial)\",\"name\":\"")
    JSONLinesEncoding.escape(options.listName, into: &bytes)
    bytes.append("\",\"patterns\":[")
  }

  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    guard entry.blocks || options.includesIdentified else { return .notBlocking }
    let label = entry.label ?? options.unnamedCaller
    let follows = patterns.last.map { $0.first + $0.count == entry.number } ?? false
    if !follows || run?.label != label || run?.blocks != entry.blocks { flush(into: &bytes) }
    run = (label, entry.blocks)
    patterns.append(Pattern(first: entry.number, digits: 0, count: 1))
    while let joined = Self.joined(patterns.suffix(10)) {
      patterns.removeLast(10)
      patterns.append(joined)
    }
    return .written
  }

  mutating func end(into bytes: inout [UInt8]) {
    flush(into: &bytes)
    bytes.append("]}\n")
  }

  /// Ten patterns of one size that begin at a multiple of ten of them, as one.
  private static func joined(_ ten: ArraySlice<Pattern>) -> Pattern? {
    guard ten.count == 10, let first = ten.first, first.digits < mostDigits, first.first % (10 * first.count) == 0,
      ten.allSatisfy({ $0.digits == first.digits })
    else { return nil }
    return Pattern(first: first.first, digits: first.digits + 1, count: 10 * first.count)
  }

  private mutating func flush(into bytes: inout [UInt8]) {
    guard let run else { return }
    for pattern in patterns {
      bytes.append(isFirst ? "\n" : ",\n")
      isFirst = false
      bytes.append("{\"name\":\"")
      JSONLinesEncoding.escape(run.label, into: &bytes)
      bytes.append("\",\"action\":\"\(run.blocks ? "block" : "identify")\",\"pattern\":\"")
      bytes.append(String(String(pattern.first).dropLast(pattern.digits)))
      bytes.append(String(repeating: "#", count: pattern.digits))
      bytes.append("\"}")
    }
    patterns.removeAll()
  }
}
