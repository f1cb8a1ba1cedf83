internal import Foundation

/// An even sample of a database's rows: what a running service has to answer.
///
/// Rows are kept at a stride that doubles whenever a thousand are held, so that memory is bounded and the
/// sample depends on the rows alone.
struct ExpectedAnswers {
  private var kept: [(keyword: String, value: Data, name: String)] = []
  private var stride: UInt64 = 1
  private var count: UInt64 = 0

  static let limit = 1_000

  mutating func add(keyword: String, value: Data, name: String?) {
    defer { count += 1 }
    guard count % stride == 0 else { return }
    if kept.count == Self.limit {
      kept = kept.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
      stride *= 2
      guard count % stride == 0 else { return }
    }
    kept.append((keyword, value, TextCells.oneLine(name ?? "").text))
  }

  /// `use case⇥keyword⇥value in hexadecimal⇥name` lines. The last has a keyword that no list can hold,
  /// and so no value: its answer is "not found".
  func table(useCase: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for row in kept {
      let value = row.value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      bytes.append("\(useCase)\t\(row.keyword)\t\(value)\t\(row.name)\n")
    }
    bytes.append("\(useCase)\t+0\t\t\n")
    return bytes
  }
}
