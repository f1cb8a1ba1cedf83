// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// An even sample of a database's rows, to check the responses of a running service.
///
/// Rows are kept at a stride that doubles when 1,000 are stored, so memory is bounded and the sample depends only on
/// the rows.
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

  /// `use case⇥keyword⇥value in hexadecimal⇥name` lines. The last keyword cannot be in any list, so it has no value and
  /// its response is "not found".
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
