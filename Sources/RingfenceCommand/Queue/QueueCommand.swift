import ArgumentParser
import Foundation
import Storage

/// `ringfence queue`
struct QueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "What waits for moderators.", subcommands: [Sweep.self])

  /// `ringfence queue sweep`
  struct Sweep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Look through everything and set the moderators' queue right.",
      discussion: """
        The server does the same when it starts and every hour; between them it follows what comes in within seconds. \
        Worth a call after a large import. It can be broken off and repeated.
        """)

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      let (change, waiting) = try await CommandContext.open(database, owns: false, logger: .quiet) { context in
        let meter = ProgressMeter(title: "Judging", total: nil, unit: .items("numbers"))
        defer { meter.finish() }
        let time = Date()
        let change = try await context.stores.queue.sweep(at: time) { done, _ in meter.update(done: UInt64(done)) }
        return (change, try await context.stores.queue.queueCounts(at: time).count(level: 2))
      }
      print("Waiting: \(waiting). Judged \(change.judged), written \(change.written), taken out \(change.removed).")
    }
  }
}
