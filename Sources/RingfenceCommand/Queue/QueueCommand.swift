// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Publishing
import Storage

struct QueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "Update the review queue.", subcommands: [Sweep.self])

  struct Sweep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Judge all holds, check all numbers, and update the review queue.",
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
        return (change, try await context.stores.queue.queueCounts(at: time).count(level: 2))
      }
      print(
        "Cases: \(waiting). Numbers evaluated: \(change.judged), written: \(change.written), removed: \(change.removed)."
      )
    }
  }
}
