// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Importing
import HTTPServer
import Publishing
import Storage
import Support

/// The source that a command changes, and the person who runs it.
struct SourceOption: ParsableArguments {
  @OptionGroup var database: DatabaseOptions

  @Argument(help: "Name of the source.")
  var name: String

  @OptionGroup var audit: AuditOption

  /// - Throws: ``CommandFailure`` if there is no such source.
  func check(_ context: CommandContext) async throws {
    guard try await context.stores.sources.source(named: name) != nil else { throw CommandFailure.noSource(name) }
  }
}

struct SourcesRefresh: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh", abstract: "Download a source now.",
    discussion: """
      The exit code is 1 if it cannot be read. Then its former entries stay. While a server reads the same source, the \
      command waits, and then reads it again.
      """)

  @OptionGroup var source: SourceOption

  @Flag(help: "Accept a list that changes more entries than --max-change allows.")
  var force = false

  func run() async throws {
    let name = source.name
    try await source.database.open(as: source.audit) { context in
      try await source.check(context)
      try await context.stores.sources.noteRefresh(of: name, isForced: force, by: source.audit.actor, at: Date())
      let refresher = try context.feedRefresher()
      let outcome = try await refresher.withClient {
        try await refresher.refresh(name, by: $0, at: Date(), force: force, waits: true)
      }
      _ = try await refresher.evaluate(at: Date())
      switch outcome {
      case nil: throw CommandFailure.noSource(name)
      case .failed(let failure):
        let texts = try context.installation.englishTexts()
        throw CommandFailure.failed("Cannot refresh \(name): \(texts.message("sources.failure", failure))")
      case .refreshed(let summary): print(summary.text)
      }
    }
  }
}

struct SourcesRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "End a subscription and withdraw the entries of the list.",
    discussion:
      "Complaints of ftc-csv, ftc-tsv and jsonl files stay and decay. The ceiling applies to them until then.")

  @OptionGroup var source: SourceOption

  func run() async throws {
    let name = source.name
    try await source.database.open(as: source.audit) { context in
      guard try await context.feedRefresher().remove(name, by: source.audit.actor, at: Date()) else {
        throw CommandFailure.noSource(name)
      }
      print("Removed \(name).")
    }
  }
}

struct SourcesResume: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "End the suspension of a source.",
    discussion: """
      A source is suspended when moderators allow most of its numbers: of at least 10 decided numbers, the upper bound of \
      the precision at 95 % is below 0.5. A suspended source is still downloaded, but its entries are ignored. After this \
      command, only new decisions suspend it again.
      """)

  @OptionGroup var source: SourceOption

  func run() async throws {
    let name = source.name
    try await source.database.open(as: source.audit) { context in
      try await source.check(context)
      guard try await context.stores.sources.resume(name, by: source.audit.actor, at: Date()) else {
        throw CommandFailure.failed("\(name) is not suspended.")
      }
      print("Resumed \(name).")
    }
  }
}

struct SourcesStatus: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "List the sources that are downloaded, with their last outcome.",
    discussion: """
      The precision of a source is the share of numbers that decisions block or identify, of all its numbers with a \
      decision in force. Servers count it each minute. Below the table are the rows of the last file that were rejected: \
      counts by reason, and five examples.
      """)

  @OptionGroup var database: DatabaseOptions

  @OptionGroup var output: TableOptions

  func run() async throws {
    try await database.open { context in
      let sources = try await context.stores.sources.list().map(SourceStatus.init)
      let texts = try context.installation.englishTexts()
      let table = TextTable(SourceStatus.columns, sources.map { $0.cells(texts) })
      let reports = sources.compactMap { source in source.rejected.report.map { "\(source.name): \($0)" } }
      try output.print(table, text: ([table.aligned] + reports).joined(separator: "\n\n"), json: sources)
    }
  }
}

extension SourceStatus {
  fileprivate static let columns = [
    "name", "format", "ceiling", "entries", "rejected", "refreshed_at", "next_at", "precision", "state", "failures",
    "error",
  ]

  fileprivate func cells(_ texts: Localizer) -> [String] {
    [
      name, format, ceiling, "\(entries)", "\(rejected.count)", refreshedAt ?? "never", nextAt,
      precision.map { "\(Int(($0 * 100).rounded()))% (\(confirmed) of \(confirmed + wrong))" } ?? "unknown",
      stateText, "\(failures)",
      error.map { texts.message("sources.failure", $0) } ?? "",
    ]
  }

  private var stateText: String {
    let text =
      switch state {
      case .manyRejected: "more than a third of the rows rejected"
      case .notRead: "not read yet"
      case .active, .suspended: state.rawValue
      }
    guard let storedEntries, let fileEntries else { return text }
    return "\(text), storing \(storedEntries) of \(fileEntries)"
  }
}

extension CommandContext {
  func feedRefresher() throws -> SourceRefresher {
    let publications = publicationFolder
    return SourceRefresher(
      stores: stores, pseudonymizer: try folder.pseudonymizer(),
      subjects: try SubjectTable(contentsOf: "\(installation.resources)/ftc-subjects.tsv"),
      folder: "\(folder.path)/downloads", serverID: { try publications.serverID() })
  }

  func feedPreviewer(limits: SourceReadLimits = SourceReadLimits()) throws -> SourcePreviewer {
    let publications = publicationFolder
    return SourcePreviewer(
      stores: stores, subjects: try SubjectTable(contentsOf: "\(installation.resources)/ftc-subjects.tsv"),
      folder: "\(folder.path)/downloads", limits: limits, serverID: { try publications.serverID() })
  }
}

extension CommandFailure {
  static func noSource(_ name: String) -> CommandFailure {
    .failed("There is no source named \(name). List sources with: ringfence sources status")
  }
}

extension SourcePreview {
  var figures: [(String, Int)] {
    [
      ("would be listed to block", block), ("would be listed to identify", identify),
      ("would be put up for review", review), ("would no longer be listed", lost), ("already listed", listed),
      ("with a decision", decided), ("protected", protected), ("held", held),
    ]
  }

  /// The counts of the numbers, a line each, and the rejected rows.
  var changes: String {
    func list(_ figures: some Sequence<(String, Int)>) -> [String] { figures.map { "  \($1) \($0)" } }
    let lines =
      ["A publication made now would change:"] + list(figures.prefix(4)) + ["Not changed:"] + list(figures.dropFirst(4))
    return (lines + [rejected.report].compactMap(\.self)).joined(separator: "\n")
  }

  /// The counts of a list, a line each.
  var text: String {
    var lines = ["The list has \(TextFormat.count(entries, "number")). \(changes)"]
    if ranges > 0 {
      let rules = TextFormat.count(ranges, "rule for a range", "rules for ranges")
      lines.append("The list also has \(rules), not among these counts.")
    }
    lines.append("The gates of the first publication with the list expect these changes.")
    return lines.joined(separator: "\n")
  }
}

extension SourceRefresher.Summary {
  /// The counts in a line.
  var text: String {
    guard !isUnchanged || added + replaced + removed > 0 else { return "Unchanged." }
    let all = TextFormat.count(entries, "entry", "entries")
    let counts = "\(all): \(added) added, \(replaced) renewed, \(removed) removed"
    let more = [
      ranges > 0 ? TextFormat.count(ranges, "rule for a range", "rules for ranges") : nil,
      proposedRanges > 0
        ? "\(TextFormat.count(proposedRanges, "of them waits", "of them wait")) for approval: "
          + "ringfence prefixes approve --source NAME" : nil,
    ].compactMap { $0 }
    let report = rejected.report.map { "\n\($0)" } ?? ""
    return ([counts] + more).joined(separator: "; ") + "." + report
  }
}
