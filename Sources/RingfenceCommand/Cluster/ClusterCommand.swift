// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Storage

/// `ringfence cluster`
struct ClusterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster", abstract: "Distribute the tables over several PostgreSQL servers.", subcommands: [Plan.self]
  )

  /// `ringfence cluster plan`
  struct Plan: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the SQL statements that distribute the tables over a Citus cluster.",
      discussion: """
        Changes nothing and uses no database. Make a backup, stop the servers, and run the output with psql on the \
        coordinator. First read the section about clusters in Documentation/operations.md.
        """)

    @Option(help: "Shards of each distributed table, 1 to 1024.")
    var shards = 32

    func validate() throws {
      guard (1...1_024).contains(shards) else { throw ValidationError("--shards is \(shards). Use 1 to 1024.") }
    }

    func run() {
      print("-- Distributed by number, all co-located; reference tables on every node.")
      for statement in ClusterPlan(shards: shards).statements { print(statement) }
      print("-- Left on the coordinator: \(ClusterPlan.local.joined(separator: ", ")).")
    }
  }
}
