// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import PackFormats

/// Where the rows of a pack's evidence file come from.
enum EvidenceSource: Sendable {
  /// The snapshot of the publication; the rows that the recipe includes because of their listings.
  case collected(ProvenanceSpool, Recipe, server: ServerID)
  /// The file of the former publication, as it is.
  case kept
  /// The file of the former publication without the numbers that have left the pack, and with the numbers that a
  /// moderator added. If it is missing or damaged and the pack has listed numbers only, the rows have no more than the
  /// pack.
  case revised(additions: [Int64: ReportCategory], hasNames: Bool)
}

/// Writes the evidence files of a publication.
///
/// Evidence may change while the pack does not. So a file has the serial of the publication that wrote it, and the former
/// file is kept only if its bytes are the same.
struct ProvenanceBuild: Sendable {
  let folder: PublicationFolder
  let serial: Int64
  /// The evidence files of the former publication by pack.
  private let former: [String: ManifestPack.File]

  init(folder: PublicationFolder, serial: Int64, former: Manifest?) {
    self.folder = folder
    self.serial = serial
    self.former = Dictionary(
      (former?.packs ?? []).compactMap { pack in
        pack.formats.first { $0.format == ProvenanceHeader.format }.map { (pack.name, $0) }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the file of a pack that is written, or kept from the former publication.
  /// - Returns: nil if the former file is needed for a pack with names, and is missing or damaged. The next full publication writes it again.
  func file(of pack: ManifestPack, from source: EvidenceSource) throws -> ManifestPack.File? {
    switch source {
    case .kept: return former[pack.name]
    case .collected(let spool, let recipe, let server):
      let rule = RecipeRule(recipe)
      return try write(pack, server: server.text) { add in
        let rows = spool.reader(from: pack.first ?? 1)
        try forEachNumber(of: pack) { number in
          guard let row = try rows.evidence(of: number), rule.takes(row.category, row.treatment) else { return }
          try add { ProvenanceLine.line(ProvenanceRow(row)) }
        }
      }
    case .revised(let additions, let hasNames):
      guard let file = former[pack.name] else { return nil }
      let path = folder.filePath(file.path)
      guard (try? PackDigest.ofFile(path).hex) == file.sha256,
        let server = try ProvenanceFileReader(path)?.header.server
      else { return hasNames ? nil : try withoutFormer(pack, additions) }
      return try write(pack, server: server) { add in
        let rows = try ProvenanceFileReader(path)
        try forEachNumber(of: pack) { number in
          let line = try rows?.line(of: number)
          if let category = additions[number] {
            try add { ProvenanceLine.line(try Self.row(number, blockedAs: category, before: line, server: server)) }
          } else if let line {
            try add { line }
          }
        }
      }
    }
  }

  /// Writes a row for each number of a pack that has listed numbers only, so that those that left the pack leave the
  /// subscribers. The next full publication has the rows with all facts again.
  private func withoutFormer(_ pack: ManifestPack, _ additions: [Int64: ReportCategory]) throws -> ManifestPack.File? {
    guard let server = try? folder.serverID() else { return nil }
    return try write(pack, server: server) { add in
      try forEachNumber(of: pack) { number in
        let isBlocked = pack.kind == "blocking" || additions[number] != nil
        let row = ProvenanceRow(
          number: number, category: (additions[number] ?? .other).slug,
          treatment: (isBlocked ? ListedNumber.Treatment.block : .identify).word, strength: nil, lastDay: nil,
          origins: [server])
        try add { ProvenanceLine.line(row) }
      }
    }
  }

  /// The row of a number that a moderator blocks, with what was known about it.
  private static func row(
    _ number: Int64, blockedAs category: ReportCategory, before line: [UInt8]?, server: String
  ) throws -> ProvenanceRow {
    let before = try line.map { try ProvenanceLine.row($0) }
    let others = (before?.origins ?? []).filter { $0 != server }.prefix(ProvenanceOriginLimit.maxOfRow - 1)
    return ProvenanceRow(
      number: number, category: category.slug, treatment: ListedNumber.Treatment.block.word, strength: before?.strength,
      lastDay: before?.lastDay, origins: (others + [server]).sorted())
  }

  private func forEachNumber(of pack: ManifestPack, _ body: (Int64) throws -> Void) throws {
    let path = pack.serial == serial ? folder.stagedPath(pack.path) : folder.filePath(pack.path)
    let cursor = try PackReader.open(path: path).makeCursor()
    while try cursor.next() { try body(cursor.number) }
  }

  /// - Parameter rows: passes on the lines in order, the same in each of two calls: the header has their count.
  private func write(
    _ pack: ManifestPack, server: String, rows: (_ add: (_ line: () throws -> [UInt8]) throws -> Void) throws -> Void
  ) throws -> ManifestPack.File {
    var header = ProvenanceHeader(server: server, entries: 0)
    try rows { _ in header.entries += 1 }
    let path = "formats/\(pack.name)-\(serial).\(ProvenanceHeader.format).jsonl.gz"
    let staged = folder.stagedPath(path)
    let writer = try GzipFileWriter(URL(filePath: staged))
    try writer.write(try ProvenanceLine.line(header))
    var lines: [UInt8] = []
    try rows { line in
      lines += try line()
      guard lines.count >= Self.piece else { return }
      try writer.write(lines)
      lines.removeAll(keepingCapacity: true)
    }
    try writer.write(lines)
    try writer.finish()
    let file = ManifestPack.File(
      format: ProvenanceHeader.format, bytes: try DurableFile.length(staged), sha256: try PackDigest.ofFile(staged).hex,
      path: path)
    if let before = former[pack.name], before.sha256 == file.sha256,
      FileManager.default.fileExists(atPath: folder.filePath(before.path))
    {
      unlink(staged)
      return before
    }
    return file
  }

  private static let piece = 64 << 10
}

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
