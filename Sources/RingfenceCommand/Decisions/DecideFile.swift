// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Importing
import HTTPServer
import Moderation
import Storage

struct DecideFileOptions: ParsableArguments {
  @Option(help: "File of decisions: CSV with a header, or JSON Lines (.jsonl, .ndjson).", completion: .file())
  var file: String?

  @Flag(help: "With --file: check all rows and decide nothing.")
  var dryRun = false

  @Flag(help: "With --file: leave out wrong rows and decide the others.")
  var skipInvalid = false

  @Flag(help: "With --file: replace decisions in force.")
  var replace = false

  @Flag(help: "With --file: block numbers that a directory names, or that are next to a protected number.")
  var confirm = false

  /// The most wrong rows that are printed.
  private static let shown = 100

  /// - Throws: `ValidationError` for an option that needs a file.
  func checkAbsence() throws {
    guard !dryRun, !skipInvalid, !replace, !confirm else {
      throw ValidationError("--dry-run, --skip-invalid, --replace and --confirm need --file.")
    }
  }

  func run(_ path: String, isUndo: Bool, by audit: AuditOption, _ context: CommandContext) async throws {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard (attributes?[.size] as? Int ?? 0) <= DecisionFile.maxBytes,
      let data = FileManager.default.contents(atPath: path)
    else {
      throw CommandFailure.unreadable(
        "Cannot read \(path), or it has more than \(DecisionFile.maxBytes >> 20) MB. Check its name and permissions, or "
          + "divide it.")
    }
    let worker = audit.actor
    let (id, stored) = try await find(data, context)
    if isUndo {
      guard let stored else {
        throw CommandFailure.failed("The decisions of \(path) are not in force: it was not decided, or was undone.")
      }
      let count = try await context.moderation.bulks.undo(stored.id, by: worker, at: Date())
      return print("\(TextFormat.count(count, "decision")) undone.")
    }
    if let stored, !dryRun {
      _ = try await context.moderation.bulks.finish(stored.id, by: worker, at: Date())
      let run = try await context.stores.bulks.find(stored.id) ?? stored
      print("\(path) was decided before: \(run.decisions) of \(TextFormat.count(run.numbers, "decision")).")
      return leftOut(run)
    }
    try await decide(data, path, id: id, by: audit, context)
  }

  /// The stored decisions of a file, and the id for new ones: a file that was undone can be decided again.
  private func find(_ data: Data, _ context: CommandContext) async throws -> (id: UUID, stored: BulkRun?) {
    var attempt = 1
    while true {
      let id = DecisionFile.id(of: data, attempt: attempt)
      guard let run = try await context.stores.bulks.find(id) else { return (id, nil) }
      if run.undoneBy == nil { return (id, run) }
      attempt += 1
    }
  }

  private func decide(
    _ data: Data, _ path: String, id: UUID, by audit: AuditOption, _ context: CommandContext
  ) async throws {
    let now = Date()
    let isLines = ["jsonl", "ndjson", "json"].contains(URL(filePath: path).pathExtension.lowercased())
    let file = try await DecisionFile.read(data, as: isLines ? .jsonLines : .csv, at: now)
    let plan = try await context.moderation.bulks.plan(
      file.rows, id: id, by: audit.actor, isReplacing: replace, isConfirmed: confirm, at: now)
    let problems = (file.problems + (plan?.problems ?? [])).sorted { $0.line < $1.line }
    let texts = try Localizer.commandLine()
    for problem in problems.prefix(Self.shown) { StandardErrorOutput().write("\(path), \(problem.text(texts))\n") }
    let right = plan?.items.count ?? 0
    let wrong = problems.count == 1 ? "1 is wrong" : "\(problems.count) are wrong"
    var rejected = RejectedRows()
    rejected.rows = right + problems.count
    for problem in problems {
      rejected.add(row: problem.line, reason: problem.violation.code.name, text: problem.value)
    }
    let summary =
      "\(TextFormat.count(right, "row")) can be decided, \(wrong)." + (rejected.summary.map { " \($0)." } ?? "")
    if dryRun { return print(summary + " Nothing was decided.") }
    guard problems.isEmpty || skipInvalid, let plan, right > 0 else {
      throw CommandFailure.failed(
        "\(summary) Nothing was decided. Correct the file"
          + (right > 0 ? ", or leave out wrong rows with --skip-invalid." : "."))
    }
    guard try await context.moderation.bulks.store(plan) else {
      throw CommandFailure.failed("Another command decides \(path) now. Run this one again when it has ended.")
    }
    let meter = ProgressMeter(title: "Deciding", total: UInt64(right), unit: .items("numbers"))
    defer { meter.finish() }
    let left = try await context.moderation.bulks.apply(plan.bulk, to: plan.items) { meter.update(done: UInt64($0)) }
    meter.finish()
    let made = right - left.count
    print("\(TextFormat.count(made, "decision")) made, from the next publication on.")
    if let run = try await context.stores.bulks.find(id) { leftOut(run) }
    print("Undo all with: ringfence decide --file \(path) --undo \(audit.text)")
  }

  private func leftOut(_ run: BulkRun) {
    guard !run.left.isEmpty else { return }
    let names = run.left.prefix(Self.shown).map { "+\($0)" }.joined(separator: " ")
    let left = TextFormat.count(run.left.count, "number was", "numbers were")
    print("\(left) left out because of a decision or an appeal in the meantime: \(names)")
  }
}

extension DecisionRowProblem {
  /// The line, the field, its value and the rule.
  func text(_ texts: Localizer) -> String {
    "line \(line): \(violation.field)\(value.isEmpty ? "" : " \"\(value)\""): \(texts.message(violation)) "
      + "(\(violation.code.name))"
  }
}
