// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Curation
import Foundation
import PhoneNumbers
import Storage

/// Reads an evidence file completely: the rows that pass a source's options, and the first row with an error as a failure.
struct ProvenanceFile {
  private static let maxLineBytes = 4_096
  /// The most origins of a row, of all rows together, and the most different combinations of them: memory for each.
  private static let maxOrigins = 64
  private static let maxServers = 4_096
  private static let maxCombinations = 65_536

  /// The id of the server that the file must be of.
  let server: String
  let options: SourceOptions
  /// With ``SourceCeiling/block`` rows that only identify a number are left out: a source cannot raise a treatment.
  let ceiling: SourceCeiling
  /// The most rows.
  let most: Int

  /// Reads the decompressed file on a separate thread.
  /// - Throws: ``SourceFailure``, with which nothing of the file is used.
  func read(_ path: String, within limit: Duration) async throws -> SourceContent {
    try await readOnThread(within: limit) { isOver in try read(path, isCancelled: isOver) }
  }

  /// - Parameter isCancelled: whether to end with `CancellationError`.
  func read(_ path: String, isCancelled: @escaping @Sendable () -> Bool) throws -> SourceContent {
    do {
      var lines = Lines(bytes: SourceBytes(try FileBytes(path: path, isCancelled: isCancelled)))
      let header = try header(&lines)
      var content = SourceContent()
      var origins = Origins()
      let filter = SourceFilter(options)
      var last: (number: Int64, last: Int64) = (0, 0)
      while let line = try lines.next() {
        content.rejected.rows += 1
        guard content.rejected.rows <= header.entries else { throw lines.failure("is one more than the header says") }
        if content.rejected.rows % 1_024 == 0, isCancelled() { throw CancellationError() }
        let row = try row(line, lines)
        guard (row.number, row.last ?? 0) > last else {
          throw lines.failure("is not in ascending order of numbers")
        }
        last = (row.number, row.last ?? 0)
        if let end = row.last {
          guard let range = RangePattern(row.number, end) else {
            content.rejected.add(
              row: lines.count, reason: RejectReason.notValid.rawValue, text: "+\(row.number)–+\(end)")
            continue
          }
          guard content.ranges.count < RangeRule.maxRulesOfSource else {
            throw SourceFailure.tooManyEntries(maximum: RangeRule.maxRulesOfSource)
          }
          // The publisher's own rules only: servers that are subscribed to each other would keep them for ever.
          if row.origins == [server], filter.takes(range), let category = category(ofRule: row) {
            content.ranges.append(
              RangeRule(
                stored: range, treatment: row.treatment == "block" ? .block : .identify, category: category,
                state: .proposed, proposedAt: .distantPast))
          }
          continue
        }
        guard let number = PhoneNumber(digits: row.number), number.isPossible else {
          content.rejected.add(row: lines.count, reason: RejectReason.notValid.rawValue, text: "+\(row.number)")
          continue
        }
        if !number.isValid { content.rejected.unassigned += 1 }
        let shared = try origins.shared(row.origins, lines)
        guard filter.takes(number), let category = category(of: row) else { continue }
        content.entries.append(
          .init(number: row.number, category: category, origins: shared, hops: hops(of: row)))
      }
      guard content.rejected.rows == header.entries else {
        throw SourceFailure.unreadable(
          "the file has \(content.rejected.rows) rows, and its header says \(header.entries)")
      }
      try content.rejected.check()
      return content
    } catch let error as ImportFileError {
      throw SourceFailure(error)
    }
  }

  private func header(_ lines: inout Lines) throws -> ProvenanceHeader {
    guard let line = try lines.next() else { throw SourceFailure.unreadable("the file is empty") }
    guard let version = try? JSONDecoder().decode(Version.self, from: line).evidence else {
      throw lines.failure("is not the header of an evidence file")
    }
    guard version == ProvenanceHeader.version else {
      throw SourceFailure.unsupportedVersion(version: version, known: ProvenanceHeader.version)
    }
    guard let header = try? JSONDecoder().decode(Strict<ProvenanceHeader>.self, from: line).value, header.entries >= 0
    else { throw lines.failure("is not the header of an evidence file") }
    guard header.server == server else { throw SourceFailure.otherServer(server: header.server) }
    guard header.entries <= most else { throw SourceFailure.tooManyEntries(maximum: most) }
    return header
  }

  private func row(_ line: Data, _ lines: Lines) throws -> ProvenanceRow {
    let row: ProvenanceRow
    do {
      row = try JSONDecoder().decode(Strict<ProvenanceRow>.self, from: line).value
    } catch {
      throw lines.failure("is not a row of an evidence file")
    }
    guard PhoneNumber.digitsRange.contains(row.number), ["block", "identify"].contains(row.treatment),
      row.last.map({ $0 > row.number && PhoneNumber.digitsRange.contains($0) }) ?? true,
      row.strength.map(ProvenanceRow.strengths.contains) ?? true, row.origins.allSatisfy(Self.isServer),
      zip(row.origins, row.origins.dropFirst()).allSatisfy(<), (1...255).contains(row.hops ?? 1)
    else { throw lines.failure("has a value that is not allowed") }
    return row
  }

  /// The category of an entry; nil for a row that is left out.
  private func category(of row: ProvenanceRow) -> ReportCategory? {
    guard row.strength ?? 0 >= options.minStrength ?? SourceOptions.usualStrength else { return nil }
    return category(ofRule: row)
  }

  /// The category of a rule, which has no reporters.
  private func category(ofRule row: ProvenanceRow) -> ReportCategory? {
    guard ceiling < .block || row.treatment == "block",
      // A listed number is not "legitimate".
      ReportCategory(slug: row.category)?.isToxic != false
    else { return nil }
    return options.category(of: row.category)
  }

  /// A publisher that passes evidence on is a server that does, whatever it says.
  private func hops(of row: ProvenanceRow) -> Int { row.origins.contains(server) ? 0 : row.hops ?? 1 }

  private static func isServer(_ id: String) -> Bool {
    id.utf8.count == 16 && id.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// The version of a file, which is read before anything else.
  private struct Version: Decodable {
    let evidence: Int
  }

  /// The lines of a file, of limited length.
  private struct Lines {
    let bytes: SourceBytes
    private(set) var count = 0

    init(bytes: SourceBytes) { self.bytes = bytes }

    mutating func next() throws -> Data? {
      count += 1
      var line: [UInt8] = []
      while let byte = try bytes.next() {
        if byte == 0x0A { return Data(line) }
        guard line.count < ProvenanceFile.maxLineBytes else {
          throw failure("is longer than \(ProvenanceFile.maxLineBytes) bytes")
        }
        line.append(byte)
      }
      return line.isEmpty ? nil : Data(line)
    }

    /// The failure of the line that was read last.
    func failure(_ clause: String) -> SourceFailure { .unreadable("line \(count) \(clause)") }
  }

  /// Keeps each combination of origins once, since most rows share a few.
  private struct Origins {
    private var servers: Set<String> = []
    private var combinations: Set<[String]> = []

    mutating func shared(_ origins: [String], _ lines: Lines) throws -> [String] {
      if let index = combinations.firstIndex(of: origins) { return combinations[index] }
      guard origins.count <= ProvenanceFile.maxOrigins else {
        throw lines.failure("has more than \(ProvenanceFile.maxOrigins) origins")
      }
      let own = origins.map { servers.insert($0).memberAfterInsert }
      combinations.insert(own)
      guard servers.count <= ProvenanceFile.maxServers, combinations.count <= ProvenanceFile.maxCombinations else {
        throw lines.failure("is from too many different servers")
      }
      return own
    }
  }
}

/// A value whose JSON object has no other fields than its own.
private struct Strict<Value: Codable>: Decodable {
  let value: Value

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    value = try Value(from: decoder)
    let known: Set<String> =
      Value.self == ProvenanceHeader.self
      ? ["evidence", "server", "entries"]
      : ["number", "last", "category", "treatment", "strength", "last_day", "origins", "hops"]
    let found = try decoder.container(keyedBy: Key.self).allKeys
    guard known.isSuperset(of: found.map(\.stringValue)) else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "unknown field"))
    }
  }
}
