import ArgumentParser
import Storage

/// `ringfence cluster`
struct ClusterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster", abstract: "One PostgreSQL that has become too small.", subcommands: [Plan.self])

  /// `ringfence cluster plan`
  struct Plan: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the statements that spread the tables over a cluster of Citus.",
      discussion: """
        Nothing is changed, and no database is asked. Make a backup, stop the servers, and feed the output to psql on the \
        coordinator. Read Documentation/operations.md, Growing, first: it says what was tried and what was not.
        """)

    @Option(help: "Shards of each distributed table.")
    var shards = 32

    func validate() throws {
      guard (1...1_024).contains(shards) else { throw ValidationError("--shards is 1 to 1024.") }
    }

    func run() {
      print("-- Distributed by number, all co-located; reference tables on every node.")
      for statement in ClusterPlan(shards: shards).statements { print(statement) }
      print("-- Left on the coordinator: \(ClusterPlan.local.joined(separator: ", ")).")
    }
  }
}
