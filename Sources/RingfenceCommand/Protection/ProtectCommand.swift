// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Importing
import HTTPServer
import Storage
import Support

struct ProtectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "protect", abstract: "Manage protected numbers, which are never published.",
    discussion: """
      Emergency and short numbers are always protected. A pattern has the digits of the international form, x for any \
      digit, and * at the end for any number of digits: +49116117, +49116xxx, +4930197*.
      Reports about a protected number are stored without weight. It cannot be blocked or identified, and a publication \
      that contains it is stopped. Entries of imported lists keep their weight: a lookup counts them, but no publication \
      lists the number.
      """,
    subcommands: [Add.self, ProtectCatalog.self, ProtectImport.self, ProtectCheck.self, List.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Protect numbers and patterns.")

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "Numbers and patterns to protect.")
    var patterns: [String] = []

    @Option(
      help:
        "File with one number or pattern per line, and a reason after a tab. Lines that begin with # or // are comments.",
      completion: .file())
    var file: String?

    @Option(
      help: .value(
        "country",
        "Country whose public service numbers of `protect catalog` are protected; can be repeated. Protections by a person "
          + "stay."))
    var catalog: [String] = []

    @Option(help: "Owner and reason, 1 to 200 characters, shown to everyone who looks up the number.")
    var reason: String?

    @OptionGroup var country: RegionOption
    @OptionGroup var end: ProtectionEnd
    @OptionGroup var audit: AuditOption

    func validate() throws {
      guard !patterns.isEmpty || file != nil || !catalog.isEmpty else {
        throw ValidationError("Nothing to protect. Pass a PATTERN, --file or --catalog.")
      }
      guard catalog.isEmpty else {
        guard patterns.isEmpty, file == nil, reason == nil, try end.time == nil else {
          throw ValidationError(
            "--catalog has numbers with their owners. Leave PATTERN, --file, --reason and --until out.")
        }
        return
      }
      guard let reason else {
        throw ValidationError("--reason is missing. Pass the owner of the numbers, and why they are protected.")
      }
      try checkReason(reason, atMost: TextLimit.protectionReason)
      _ = try named(reason)
    }

    private func addCatalog() async throws {
      try await database.open(as: audit) { context in
        let numbers = try ProtectionCatalog.read(resources: context.installation.resources)
        for code in catalog { _ = try numbers.entries(of: code) }
        let (count, kept) = try await numbers.add(
          catalog.map { $0.uppercased() }, to: context.stores.protection, by: audit.actor, at: Date())
        print("\(count - kept) protected\(kept > 0 ? ", \(kept) were already" : "").")
      }
    }

    func run() async throws {
      guard let reason else { return try await addCatalog() }
      let targets =
        try named(reason)
        + (try file.map { try ProtectionFile(path: $0, reason: reason, region: country.region).targets() } ?? [])
      try await database.open(as: audit) { context in
        let protection = context.stores.protection
        if file == nil, targets.count == 1 {
          let (target, reason) = targets[0]
          let replaced = try await protection.set(
            target, reason: reason, until: end.time, by: audit.actor, at: Date())
          if let replaced { print("Replaces the protection \(replaced.line)") }
          print("1 protected.")
        } else {
          let kept = try await protection.add(
            targets, by: audit.name, until: end.time, at: Date(), audit: event(targets))
          print(targets.said(kept: kept))
        }
        for item in targets {
          guard case .number(let number) = item.target, targets.count <= 1_000,
            let decision = try await context.stores.decisions.standing(of: number), decision.treatment != .allow
          else { continue }
          print(
            "The decision to \(decision.treatment.rawValue) +\(number) has no effect while the number is protected."
          )
        }
      }
    }

    /// One event for several targets, or all lines of a file, because the list itself names the author of each.
    private func event(_ targets: [(target: ProtectionTarget, reason: String)]) -> AuditEvent {
      let subject =
        targets.count == 1
        ? patterns.first ?? file ?? "" : TextFormat.count(targets.count, "number or pattern", "numbers and patterns")
      let what = (patterns.prefix(20) + [file].compactMap { $0 }).joined(separator: " ")
      return audit.actor.did(.protectionAdd, to: subject, after: ["what": what], because: reason)
    }

    private func named(_ reason: String) throws -> [(target: ProtectionTarget, reason: String)] {
      try patterns.map { text in
        do throws(ProtectedPatternError) {
          return (try ProtectionTarget(reading: text, region: country.region), reason)
        } catch {
          throw ValidationError("\(text): \(try Localizer.commandLine().message(error))")
        }
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List protected patterns and numbers, separated by tabs: pattern, reason, name, time, end.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      try await database.open { context in
        try await context.stores.protection.forEach { batch in
          for item in batch {
            print(item.line)
          }
        }
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a protection. Reports count again within an hour, or after: ringfence reporters recount")

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "Pattern or number, as shown by `protect list`, or in another form.")
    var pattern: String

    @OptionGroup var country: RegionOption
    @OptionGroup var audit: AuditOption

    @Option(help: "Reason for the audit log.")
    var reason: String?

    func validate() throws {
      _ = try target
    }

    func run() async throws {
      let target = try target
      try await database.open(as: audit) { context in
        guard
          try await context.stores.protection.remove(target, by: audit.actor, because: reason, at: Date())
        else {
          throw CommandFailure.failed(
            """
            There is no protection \(pattern) by a person. List all with: ringfence protect list. End the suppression of \
            an owner with: ringfence rights suppress NUMBER --lift
            """)
        }
        print("\(pattern) is no longer protected.")
      }
    }

    private var target: ProtectionTarget {
      get throws {
        do throws(ProtectedPatternError) {
          // Numbers were protected that are in no plan.
          if let read = try? ProtectionTarget(reading: pattern, region: country.region) { return read }
          return try ProtectionTarget(pattern)
        } catch {
          throw ValidationError("\(pattern): \(try Localizer.commandLine().message(error))")
        }
      }
    }
  }
}

/// A file of numbers and patterns to protect.
struct ProtectionFile {
  let path: String
  /// The reason for lines without one.
  let reason: String
  /// The country of national and short numbers.
  let region: String?

  /// The maximum file size in bytes: enough for 2,000,000 numbers with short reasons.
  static let maxBytes = 256 << 20

  /// - Throws: ``CommandFailure`` with the first wrong line.
  func targets() throws -> [(target: ProtectionTarget, reason: String)] {
    guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int else {
      throw CommandFailure.unreadable("Cannot read \(path). Check its name, owner and permissions.")
    }
    guard size <= Self.maxBytes, let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw CommandFailure.unreadable(
        "\(path) is not UTF-8 text of at most \(Self.maxBytes >> 20) MB. Convert or divide the file.")
    }
    var targets: [(target: ProtectionTarget, reason: String)] = []
    // On Windows a line ends with "\r\n", which is one Character and not "\n".
    let lines = text.drop { $0 == "\u{FEFF}" }.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let columns = line.split(separator: "\t").map { $0.trimmingCharacters(in: .whitespaces) }
      guard let first = columns.first, !first.isEmpty, !CommentLine.begins(first) else { continue }
      let own = columns.count > 1 && !columns[1].isEmpty ? columns[1] : reason
      do {
        let target = try ProtectionTarget(reading: first, region: region)
        targets.append((target, try RuleViolation.line(own, "reason", atMost: TextLimit.protectionReason)))
      } catch let error as ProtectedPatternError {
        throw refused(index, try Localizer.commandLine().message(error))
      } catch let violation as RuleViolation {
        throw refused(index, try Localizer.commandLine().message(violation))
      }
    }
    return targets
  }

  private func refused(_ index: Int, _ why: String) -> CommandFailure {
    CommandFailure.failed("\(path), line \(index + 1): \(why) Nothing was changed.")
  }
}
