// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CallerPack
import Foundation

/// `ringfence pack info`: shows the header of a pack or a delta.
struct PackInfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Show the header of a pack or delta.",
    discussion: "Checks only the header and the index. `verify` checks all bytes.")

  @Argument(help: "Pack or delta.") var file: String
  @Flag(help: "Print JSON.") var json = false

  func run() async throws {
    try PackExitCode.report {
      let facts = try facts()
      guard json else {
        let width = facts.map(\.name.count).max() ?? 0
        for fact in facts {
          PackConsole.current.output(
            fact.name.padding(toLength: width + 2, withPad: " ", startingAt: 0)
              + (fact.value is NSNull ? "none" : "\(fact.value)") + "\n")
        }
        return
      }
      let object = Dictionary(uniqueKeysWithValues: facts.map { ($0.name, $0.value) })
      let data = try JSONSerialization.data(
        withJSONObject: object, options: [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes])
      PackConsole.current.output(String(decoding: data, as: UTF8.self) + "\n")
    }
  }

  private func facts() throws -> [(name: String, value: any Sendable)] {
    let digest = try PackDigest.ofFile(file).hex
    do throws(PackError) {
      let header = try PackReader.open(path: file).header
      let each = header.entryCount == 0 ? 0 : Double(header.fileBytes) / Double(header.entryCount)
      return [
        ("type", "pack"), ("version", Int(header.version)), ("kind", header.kind.name),
        ("profile", header.profile.name), ("region", header.region), ("serial", header.serial),
        ("base_serial", header.baseSerial), ("created_at", Self.time(header.createdAt)),
        ("entries", header.entryCount), ("blocking", header.blockingCount),
        ("identification", header.identificationCount), ("last_number", header.lastNumber),
        ("blocks", header.blockCount), ("entries_per_block", header.blockEntries),
        ("size_bytes", header.fileBytes), ("bytes_per_entry", (each * 1_000).rounded() / 1_000), ("sha256", digest),
      ]
    } catch {
      guard error.code == .notAPack, let header = try? PackDelta.open(path: file).header else { throw error }
      return [
        ("type", "delta"), ("version", Int(header.version)), ("kind", header.kind.name), ("region", header.region),
        ("serial", header.serial), ("base_serial", header.baseSerial), ("created_at", Self.time(header.createdAt)),
        ("removed", header.removedCount), ("added", header.addedCount), ("changed", header.changedCount),
        ("base_sha256", header.baseDigest.hex), ("result_sha256", header.resultDigest.hex), ("sha256", digest),
      ]
    }
  }

  /// RFC 3339, or JSON's null if the pack has no time.
  private static func time(_ seconds: Int64) -> any Sendable {
    seconds == 0 ? NSNull() : Date(timeIntervalSince1970: TimeInterval(seconds)).documentTime
  }
}

/// `ringfence pack lookup`: shows a pack's entry of a number.
struct PackLookupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lookup", abstract: "Look up a number in a pack.",
    discussion: "The exit code is also 0 if the pack does not contain the number.")

  @Argument(help: "Pack to read.") var file: String
  @Argument(help: "Number with its country code, with or without a plus.") var number: String
  @Flag(help: "Print JSON.") var json = false

  private var digits: Int64? {
    let digits = number.hasPrefix("+") ? number.dropFirst() : number[...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != "0", digits.count <= 15 else {
      return nil
    }
    return Int64(digits)
  }

  func validate() throws {
    guard digits != nil else {
      throw ValidationError("\"\(number)\" is not a number. Pass a country code and at most 15 digits in total.")
    }
  }

  func run() async throws {
    try PackExitCode.report {
      guard let digits else { throw PackExitCode.usage }
      let entry = try PackReader.open(path: file).lookup(digits)
      let blocked = entry?.isBlocked ?? false
      if json {
        var object: [String: any Sendable] = ["number": digits, "listed": entry != nil, "blocked": blocked]
        object["label"] = entry?.label
        let data = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        PackConsole.current.output(String(decoding: data, as: UTF8.self) + "\n")
      } else if let entry {
        let label = entry.label.map { " \"\($0)\"" } ?? ""
        PackConsole.current.output("+\(digits): \(blocked ? "blocked" : "named")\(label)\n")
      } else {
        PackConsole.current.output("+\(digits): not listed\n")
      }
    }
  }
}
