// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation

/// The lines of evidence files: JSON with sorted keys, without white space.
enum ProvenanceLine {
  /// The header's line.
  static func line(_ header: ProvenanceHeader) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return [UInt8](try encoder.encode(header)) + [0x0A]
  }

  /// A row's line. No text of a row needs an escape, so that JSON's encoder is not needed for millions of rows.
  static func line(_ row: ProvenanceRow) -> [UInt8] {
    let lastDay = row.lastDay.map { #""last_day":"\#($0)","# } ?? ""
    let origins = row.origins.map { #""\#($0)""# }.joined(separator: ",")
    let strength = row.strength.map { #""strength":\#($0),"# } ?? ""
    let hops = row.hops.map { #""hops":\#($0),"# } ?? ""
    let text =
      #"{"category":"\#(row.category)",\#(hops)\#(lastDay)"number":\#(row.number),"origins":[\#(origins)],"#
      + #"\#(strength)"treatment":"\#(row.treatment)"}"#
    return Array(text.utf8) + [0x0A]
  }

  /// The header of a line; nil for any other line, and for one of another version.
  static func header(_ line: [UInt8]) -> ProvenanceHeader? {
    guard let header = try? JSONDecoder().decode(ProvenanceHeader.self, from: Data(line)),
      header.evidence == ProvenanceHeader.version, ServerID(header.server) != nil
    else { return nil }
    return header
  }

  /// The row of a line.
  static func row(_ line: [UInt8]) throws -> ProvenanceRow {
    try JSONDecoder().decode(ProvenanceRow.self, from: Data(line))
  }

  private static let numberKey = Array(#""number":"#.utf8)

  /// The number of a row's line, without decoding the line: a file may have millions of them. Nil where there is none.
  static func number(_ line: [UInt8]) -> Int64? {
    guard let key = line.firstRange(of: numberKey) else { return nil }
    var number: Int64 = 0
    for byte in line[key.upperBound...] {
      guard (0x30...0x39).contains(byte) else { break }
      let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      guard !isTooLarge, tens <= .max - 9 else { return nil }
      number = tens + Int64(byte - 0x30)
    }
    return number > 0 ? number : nil
  }
}
