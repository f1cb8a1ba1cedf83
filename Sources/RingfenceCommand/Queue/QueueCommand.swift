// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import Curation
import Foundation
import HTTPServer
import Moderation
import PhoneNumbers
import Publishing
public import Storage
import Support

struct QueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "List, show and update the review queue.",
    subcommands: [List.self, Show.self, Sweep.self])

  /// The level of administrators, who see every case.
  private static let everyLevel: Int16 = 2

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the cases of the review queue, separated by tabs.",
      discussion: """
        Each line has the number, its causes, category, country, reports, the start of its wait, and the account that \
        has it open or to which it is assigned. A dash means none.
        """)

    @OptionGroup var database: DatabaseOptions

    @Option(help: .value("order", "Order: urgency, age, reports or heat."))
    var sort = QueueOrder.urgency

    @Option(help: .value("cause", "Only this cause: \(QueueCause.allCases.map(\.rawValue).joined(separator: ", "))."))
    var cause: QueueCause?

    @Option(help: .value("country", "Only this country: two letters, such as FR."))
    var country: String?

    @Option(help: .value("cases", "Maximum number of cases, 1 to 100000."))
    var limit = 100

    func validate() throws {
      try check(limit, "--limit", in: 1...100_000)
      if let country, PhoneRegion(country) == nil {
        throw ValidationError("--country \(country) is not a country with phone numbers. Use two letters, such as FR.")
      }
    }

    func run() async throws {
      let filter = QueueFilter(country: country.flatMap { PhoneRegion($0)?.code }, cause: cause)
      let (rows, waiting) = try await database.open { context in
        let (queue, time) = (context.stores.queue, Date())
        return (
          try await queue.page(filter, by: sort, level: QueueCommand.everyLevel, limit: limit, at: time),
          try await queue.queueCounts(at: time).count(filter, level: QueueCommand.everyLevel)
        )
      }
      for row in rows {
        let item = row.item
        let claim = item.claim.flatMap { $0.until > Date() ? $0.account : nil }
        print(
          [
            "+\(item.number)", item.causes.all.map { $0.rawValue }.joined(separator: ","), item.category?.slug ?? "-",
            item.country ?? "-", "\(row.reports)", Timestamp.format(item.since), claim ?? item.assignedTo ?? "-",
          ].joined(separator: "\t"))
      }
      if rows.count == limit, waiting > limit {
        FileHandle.standardError.write(Data("\(waiting) cases wait. To list more, pass --limit.\n".utf8))
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the case of a number: why it waits, decisions, notes and comments.",
      discussion: "The case is not claimed. To decide it: ringfence decide")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var subject: NumberOptions

    func run() async throws {
      let (number, texts) = (try subject.digits, try Localizer.commandLine())
      let file = try await database.open { try await $0.stores.cases.read(number, at: Date()) }
      var lines = ["+\(number)"]
      if let item = file.item {
        lines.append(
          "  waits since \(Timestamp.format(item.since)): \(item.causes.all.map { $0.rawValue }.joined(separator: ", "))"
        )
        if let account = item.assignedTo { lines.append("  assigned to \(account)") }
      } else {
        lines.append("  has no case in the queue")
      }
      lines += LocalizedExplanation(file.explanation, texts).account.map { "  \($0)" }
      lines += file.decisions.map { event in
        let reason = event.reason.map { ": \($0)" } ?? ""
        return "  \(Timestamp.format(event.time)) \(event.name) by \(event.decidedBy)\(reason)"
      }
      lines += file.notes.map { "  \(Timestamp.format($0.writtenAt)) note by \($0.account): \($0.text)" }
      lines += file.comments.prefix(CaseStore.comments).map { "  \($0.count) × \($0.category.slug): \($0.text)" }
      for line in lines { print(TextFormat.printable(line)) }
    }
  }

  struct Sweep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Evaluate all holds and numbers, and update the review queue.",
      discussion: """
        The server does the same at start and every hour, and follows new reports within seconds. Run it after a large \
        import. You can stop and repeat it.
        """)

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      let (change, waiting) = try await database.open { context in
        let meter = ProgressMeter(title: "Evaluating", total: nil, unit: .items("numbers"))
        defer { meter.finish() }
        let time = Date()
        try await BrigadeReview(store: context.stores.holds).review(at: time)
        let change = try await context.stores.queue.sweep(at: time) { done, _ in meter.update(done: UInt64(done)) }
        return (change, try await context.stores.queue.queueCounts(at: time).count(level: QueueCommand.everyLevel))
      }
      print(
        "Cases: \(waiting). Numbers evaluated: \(change.judged), written: \(change.written), removed: \(change.removed)."
      )
    }
  }
}

extension QueueOrder: ExpressibleByArgument {}
extension QueueCause: ExpressibleByArgument {}
