// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import CallerPack
import Support

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `ringfence pack info`: shows the header of a pack or a delta.
package struct PackInfoCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Show the header of a pack or delta.",
    discussion: "Checks only the header and the index. `verify` checks all bytes.")

  @Argument(help: "Pack or delta.") var file: String
  @Flag(help: "Print JSON.") var json = false

  package init() {}

  package func run() async throws {
    try PackExitCode.report {
      let facts = try facts()
      guard json else {
        let width = facts.map(\.name.count).max() ?? 0
        for fact in facts {
          let gap = String(repeating: " ", count: width + 2 - fact.name.count)
          PackConsole.current.output("\(fact.name)\(gap)\(fact.value)\n")
        }
        return
      }
      PackConsole.current.output(
        try PackFact.json(Dictionary(uniqueKeysWithValues: facts.map { ($0.name, $0.value) }), isIndented: true))
    }
  }

  private func facts() throws -> [(name: String, value: PackFact)] {
    let digest = try PackDigest.ofFile(file).hex
    do throws(PackError) {
      let header = try PackReader.open(path: file).header
      let each = header.entryCount == 0 ? 0 : Double(header.fileBytes) / Double(header.entryCount)
      return [
        ("type", .text("pack")), ("version", .count(header.version)), ("kind", .text(header.kind.name)),
        ("profile", .text(header.profile.name)), ("region", .text(header.region)), ("serial", .count(header.serial)),
        ("base_serial", .count(header.baseSerial)), ("created_at", .time(header.createdAt)),
        ("entries", .count(header.entryCount)), ("blocking", .count(header.blockingCount)),
        ("identification", .count(header.identificationCount)), ("last_number", .count(header.lastNumber)),
        ("blocks", .count(header.blockCount)), ("entries_per_block", .count(header.blockEntries)),
        ("size_bytes", .count(header.fileBytes)), ("bytes_per_entry", .figure((each * 1_000).rounded() / 1_000)),
        ("sha256", .text(digest)),
      ]
    } catch {
      guard error.code == .notAPack, let header = try? PackDelta.open(path: file).header else { throw error }
      return [
        ("type", .text("delta")), ("version", .count(header.version)), ("kind", .text(header.kind.name)),
        ("region", .text(header.region)), ("serial", .count(header.serial)), ("base_serial", .count(header.baseSerial)),
        ("created_at", .time(header.createdAt)), ("removed", .count(header.removedCount)),
        ("added", .count(header.addedCount)), ("changed", .count(header.changedCount)),
        ("base_sha256", .text(header.baseDigest.hex)), ("result_sha256", .text(header.resultDigest.hex)),
        ("sha256", .text(digest)),
      ]
    }
  }
}

/// A value of the output.
private enum PackFact: Encodable, CustomStringConvertible {
  case text(String)
  case number(Int64)
  case figure(Double)
  case flag(Bool)
  case none

  static func count(_ value: some BinaryInteger) -> PackFact { .number(Int64(value)) }

  /// - Parameter seconds: since 1970; 0 if the pack has no time.
  static func time(_ seconds: Int64) -> PackFact {
    seconds == 0 ? .none : .text(Date(timeIntervalSince1970: TimeInterval(seconds)).documentTime)
  }

  static func json(_ facts: [String: PackFact], isIndented: Bool = false) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting =
      isIndented
      ? [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted] : [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(facts), as: UTF8.self) + "\n"
  }

  var description: String {
    switch self {
    case .text(let text): text
    case .number(let number): "\(number)"
    case .figure(let figure): "\(figure)"
    case .flag(let flag): "\(flag)"
    case .none: "none"
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .figure(let figure): try container.encode(figure)
    case .flag(let flag): try container.encode(flag)
    case .none: try container.encodeNil()
    }
  }
}

/// `ringfence pack lookup`: shows a pack's entry of a number.
package struct PackLookupCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "lookup", abstract: "Look up a number in a pack.",
    discussion: "The exit code is also 0 if the pack does not contain the number.")

  @Argument(help: "Pack to read.") var file: String
  @Argument(help: "Number with its country code, with or without a plus.") var number: String
  @Flag(help: "Print JSON.") var json = false

  package init() {}

  private var digits: Int64? {
    let digits = number.hasPrefix("+") ? number.dropFirst() : number[...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != "0", digits.count <= 15 else {
      return nil
    }
    return Int64(digits)
  }

  package func validate() throws {
    guard digits != nil else {
      throw ValidationError("\"\(number)\" is not a number. Pass a country code and at most 15 digits in total.")
    }
  }

  package func run() async throws {
    try PackExitCode.report {
      guard let digits else { throw PackExitCode.usage }
      let entry = try PackReader.open(path: file).lookup(digits)
      let blocked = entry?.isBlocked ?? false
      if json {
        var facts: [String: PackFact] = [
          "number": .number(digits), "listed": .flag(entry != nil), "blocked": .flag(blocked),
        ]
        facts["label"] = entry?.label.map { .text($0) }
        PackConsole.current.output(try PackFact.json(facts))
      } else if let entry {
        let label = entry.label.map { " \"\($0)\"" } ?? ""
        PackConsole.current.output("+\(digits): \(blocked ? "blocked" : "named")\(label)\n")
      } else {
        PackConsole.current.output("+\(digits): not listed\n")
      }
    }
  }
}
