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
      let ranges = spool.ranges.filter { rule.takes($0.category, $0.treatment) }
      return try write(pack, server: server.text, ranges: ranges.map { $0.row(by: server) }) {
        let rows = spool.reader(from: pack.first ?? 1)
        return { number in
          guard let row = try rows.evidence(of: number), rule.takes(row.category, row.treatment) else { return nil }
          return ProvenanceLine.line(ProvenanceRow(row))
        }
      }
    case .revised(let additions, let hasNames):
      guard let file = former[pack.name] else { return nil }
      let path = folder.filePath(file.path)
      guard (try? PackDigest.ofFile(path).hex) == file.sha256,
        let server = try ProvenanceFileReader(path)?.header.server
      else { return hasNames ? nil : try withoutFormer(pack, additions) }
      return try write(pack, server: server, ranges: try ProvenanceFileReader.ranges(path)) {
        let rows = try ProvenanceFileReader(path)
        return { number in
          let line = try rows?.line(of: number)
          guard let category = additions[number] else { return line }
          return ProvenanceLine.line(try Self.row(number, blockedAs: category, before: line, server: server))
        }
      }
    }
  }

  /// Writes a row for each number of a pack that has listed numbers only, so that those that left the pack leave the
  /// subscribers. The next full publication has the rows with all facts again.
  private func withoutFormer(_ pack: ManifestPack, _ additions: [Int64: ReportCategory]) throws -> ManifestPack.File? {
    guard let server = try? folder.serverID() else { return nil }
    func row(_ number: Int64, last: Int64? = nil) -> ProvenanceRow {
      let isBlocked = pack.kind == "blocking" || additions[number] != nil
      return ProvenanceRow(
        number: number, last: last, category: (additions[number] ?? .other).slug,
        treatment: (isBlocked ? ListedNumber.Treatment.block : .identify).word, origins: [server])
    }
    var ranges: [ProvenanceRow] = []
    try forEachRun(of: pack) { run in
      if run.count >= Self.rangeNumbers { ranges.append(row(run.lowerBound, last: run.upperBound)) }
    }
    return try write(pack, server: server, ranges: ranges) {
      var rest = ranges[...]
      return { number in
        while let range = rest.first, (range.last ?? 0) < number { rest.removeFirst() }
        let isInRange = rest.first.map { $0.number <= number } ?? false
        return isInRange && additions[number] == nil ? nil : ProvenanceLine.line(row(number))
      }
    }
  }

  /// The least count of adjacent numbers that is taken for a range where nothing tells.
  private static var rangeNumbers: Int { 1_000 }

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

  private func forEachRun(of pack: ManifestPack, _ body: (ClosedRange<Int64>) throws -> Void) throws {
    let path = pack.serial == serial ? folder.stagedPath(pack.path) : folder.filePath(pack.path)
    var runs = try PackRanges(try PackReader.open(path: path))
    while let run = try runs.next() { try body(run) }
  }

  /// Writes the rows of a pack's numbers, ascending by number, a single number before a range that begins with it.
  /// - Parameters:
  ///   - ranges: rows of ranges, ascending; what the pack has of them is written.
  ///   - singles: begins a pass over the single numbers, of which there are two: the header has the count of rows. It
  ///     returns a function that returns the line of a number, nil for none; numbers of its calls ascend.
  private func write(
    _ pack: ManifestPack, server: String, ranges: [ProvenanceRow], singles: () throws -> (Int64) throws -> [UInt8]?
  ) throws -> ManifestPack.File {
    func forEachLine(_ body: ([UInt8]) throws -> Void) throws {
      let line = try singles()
      let numbers = ranges.map { $0.number...max($0.number, $0.last ?? 0) }
      try forEachRun(of: pack) { run in
        var place = numbers.overlapping(run)[...]
        for number in run {
          let line = try line(number)
          if let line { try body(line) }
          guard let range = place.first, max(range.lowerBound, run.lowerBound) == number else { continue }
          var row = ranges[place.startIndex]
          place.removeFirst()
          let last = min(range.upperBound, run.upperBound)
          guard last > number || line == nil else { continue }
          (row.number, row.last) = (number, last > number ? last : nil)
          try body(ProvenanceLine.line(row))
        }
      }
    }
    var header = ProvenanceHeader(server: server, entries: 0)
    try forEachLine { _ in header.entries += 1 }
    let path = "formats/\(pack.name)-\(serial).\(ProvenanceHeader.format).jsonl.gz"
    let staged = folder.stagedPath(path)
    let writer = try GzipFileWriter(URL(filePath: staged))
    try writer.write(try ProvenanceLine.line(header))
    var lines: [UInt8] = []
    try forEachLine { line in
      lines += line
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
  static func line(_ header: ProvenanceHeader) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return [UInt8](try encoder.encode(header)) + [0x0A]
  }

  /// A row's line. No text of a row needs an escape, so that JSON's encoder is not needed for millions of rows.
  static func line(_ row: ProvenanceRow) -> [UInt8] {
    let last = row.last.map { #""last":\#($0),"# } ?? ""
    let lastDay = row.lastDay.map { #""last_day":"\#($0)","# } ?? ""
    let origins = row.origins.map { #""\#($0)""# }.joined(separator: ",")
    let strength = row.strength.map { #""strength":\#($0),"# } ?? ""
    let hops = row.hops.map { #""hops":\#($0),"# } ?? ""
    let text =
      #"{"category":"\#(row.category)",\#(hops)\#(last)\#(lastDay)"number":\#(row.number),"origins":[\#(origins)],"#
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

  static func row(_ line: [UInt8]) throws -> ProvenanceRow {
    try JSONDecoder().decode(ProvenanceRow.self, from: Data(line))
  }

  static func isRange(_ line: [UInt8]) -> Bool { line.firstRange(of: lastKey) != nil }

  private static let lastKey = Array(#""last":"#.utf8)
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
