// SPDX-License-Identifier: Apache-2.0

/// PhoneBlock's binary list without prefixes. Its records are sorted in memory.
struct PhoneBlockBinaryFormat: RecordEncoding {
  private let includesIdentified: Bool
  private var file = PhoneBlockBinaryList()

  init(options: ExportOptions) {
    includesIdentified = options.includesIdentified
  }

  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    guard entry.blocks || includesIdentified else { return .notBlocking }
    file.append(entry.number)
    return .written
  }

  func end(into bytes: inout [UInt8]) { file.encode(into: &bytes) }
}
