// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Importing
import HTTPServer
import Storage
import Support

struct ProtectionEnd: ParsableArguments {
  @Option(help: .value("time", "Time at which the protection ends (RFC 3339). Default: never."))
  var until: String?

  func validate() throws { _ = try time }

  var time: Date? {
    get throws {
      guard let until else { return nil }
      guard let time = Timestamp.parse(until), time > Date() else {
        throw ValidationError("--until \"\(until)\" is not a later time. Write it as 2027-01-31T00:00:00Z.")
      }
      return time
    }
  }
}

struct ProtectImport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Protect the numbers and patterns of somebody else's list.",
    discussion: """
      A list has one number or pattern per line, optionally with a reason after a tab; or it is the JSON of a warning list of \
      MISP. A pattern needs at least \(ProtectedPattern.minDigitsOfList) digits before the first wildcard, and a list has at most \
      \(ProtectionStore.maxTargetsOfSource) entries, \(ProtectionStore.maxPatternsOfSource) of them patterns. The command says how many \
      listed numbers would no longer be listed, and requires --yes if there are any. Numbers and patterns that are protected keep \
      their protection; a file of the same name can only move its own --until to a later time. To follow a list, see: ringfence sources add \
      --format protected-list or misp-warninglist.
      """)

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "File with the list.", completion: .file())
  var file: String

  @Option(help: "Reason of entries without their own. Default: the description of the list, or the name of the file.")
  var reason: String?

  @OptionGroup var country: RegionOption
  @OptionGroup var end: ProtectionEnd

  @Flag(help: "Show the effect and save nothing.")
  var preview = false

  @Flag(help: "Protect numbers that are listed, too, so that they are no longer listed.")
  var yes = false

  @OptionGroup var audit: AuditOption

  func validate() throws { try checkReason(reason, atMost: TextLimit.protectionReason) }

  func run() async throws {
    let list = try list()
    let texts = try Localizer.commandLine()
    for refusal in list.refusals.prefix(20) {
      print("Entry \(refusal.place), \"\(TextFormat.printable(refusal.text))\": \(texts.message(refusal.error))")
    }
    if let summary = list.rejected.summary { print(summary) }
    guard !list.targets.isEmpty else { throw CommandFailure.failed("\(file) has nothing to protect.") }
    try await database.open(as: audit) { context in
      let freed = try await context.stores.protection.listed(among: list.targets.map(\.target))
      let targets = TextFormat.count(list.targets.count, "number or pattern", "numbers and patterns")
      print("\(targets), \(list.refusals.count) refused. Listed numbers that would no longer be listed: \(freed).")
      guard !preview else { return print("Nothing was saved.") }
      guard list.refusals.isEmpty || yes, freed == 0 || yes else {
        throw CommandFailure.failed("Nothing was saved. If that is right, pass --yes.")
      }
      let event = audit.actor.did(
        .protectionAdd, to: targets, after: ["what": file], because: reason)
      let author = ProtectionStore.author(ofList: URL(filePath: file).lastPathComponent)
      let kept = try await context.stores.protection.add(
        list.targets, by: author, until: end.time, at: Date(), audit: event)
      print(list.targets.said(kept: kept))
    }
  }

  private func list() throws -> ProtectionList {
    guard let contents = FileManager.default.contents(atPath: file) else {
      throw CommandFailure.unreadable("Cannot read \(file). Check its name, owner and permissions.")
    }
    // Editors on Windows begin files with a mark.
    let data = contents.trimmingPrefix("\u{FEFF}".utf8)
    let isJSON = data.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
    do {
      return try ProtectionList(
        data, as: isJSON ? .mispWarningList : .protectedList, region: country.region, reason: reason,
        named: URL(filePath: file).lastPathComponent)
    } catch {
      throw CommandFailure.failed("\(file): \(try Localizer.commandLine().message("sources.failure", error))")
    }
  }
}

struct ProtectCheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Say whether a number is protected, and by what.",
    discussion: """
      Prints a line for each protection, separated by tabs, as `protect list` does. The exit code is 1 for a number that is \
      not protected.
      """)

  @OptionGroup var database: DatabaseOptions
  @Argument(help: "Number in international form, or a short number or one in national form with --region.")
  var number: String

  @OptionGroup var country: RegionOption

  func validate() throws { _ = try digits }

  private var digits: Int64 {
    get throws {
      let target: ProtectionTarget
      do throws(ProtectedPatternError) {
        target = try ProtectionTarget(reading: number, region: country.region)
      } catch {
        throw ValidationError("NUMBER: \(try Localizer.commandLine().message(error))")
      }
      guard case .number(let digits) = target else {
        throw ValidationError("NUMBER: \(number) is a pattern. Pass one number.")
      }
      return digits
    }
  }

  func run() async throws {
    let number = try digits
    try await database.open { context in
      let found = try await context.stores.protection.protections(of: number)
      for item in found { print(item.line) }
      guard found.isEmpty else { return }
      guard let rule = try await context.stores.protection.rule(for: number) else {
        throw CommandFailure.failed("+\(number) is not protected.")
      }
      print("+\(number)\t\(try Localizer.commandLine().message(rule))\tringfence")
    }
  }
}

extension [(target: ProtectionTarget, reason: String)] {
  /// The result for several targets.
  func said(kept: Int) -> String {
    "\(count) protected."
      + (kept > 0 ? " \(kept) of them were protected before and keep their reason and end; change them singly." : "")
  }
}

extension Protection {
  /// The columns of lists.
  var line: String {
    [what, reason, addedBy, Timestamp.format(addedAt), expiresAt.map { Timestamp.format($0) } ?? ""]
      .joined(separator: "\t")
  }
}
