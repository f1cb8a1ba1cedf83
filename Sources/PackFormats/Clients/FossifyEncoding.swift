// SPDX-License-Identifier: Apache-2.0

/// Numbers with a plus, separated by commas and without a line end, for Fossify Phone.
struct FossifyEncoding: RecordEncoding {
  private let includesIdentified: Bool
  private var isFirst = true

  init(options: ExportOptions) {
    includesIdentified = options.includesIdentified
  }

  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    guard entry.blocks || includesIdentified else { return .notBlocking }
    bytes.append(isFirst ? "+\(entry.number)" : ",+\(entry.number)")
    isFirst = false
    return .written
  }
}
