// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Storage

struct ClusterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster", abstract: "Distribute the tables over several PostgreSQL servers.", subcommands: [Plan.self]
  )

  struct Plan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the SQL statements that distribute the tables over a Citus cluster.",
      discussion: """
        Changes nothing. Without --survey it uses no database and prints the plan for an empty one. Make a backup, stop the \
        servers, and run the output with psql on the coordinator. First read the section about clusters in \
        Documentation/operations.md.
        """)

    @Option(help: .value("count", "Shards of a distributed table, 1 to 1024. Default: 2 per node; 4 without --survey."))
    var shards: Int?

    @Flag(
      help: ArgumentHelp(
        """
        Read the database of the settings, such as DATABASE_URL: print the size of each table and the estimated time, and \
        only the tables that are not distributed yet.
        """))
    var survey = false

    @OptionGroup var options: DatabaseOptions

    func validate() throws {
      if let shards { try check(shards, "--shards", in: 1...1_024) }
    }

    func run() async throws {
      let survey =
        self.survey ? try await options.open(migrates: false) { try await ClusterSurvey.read($0.pool) } : nil
      let plan = ClusterPlan(shards: shards, survey: survey)
      let steps = plan.steps
      if let survey { Self.lines(survey, steps).forEach { print($0) } }
      guard !steps.isEmpty else { return }
      print("-- Distributed by number, all co-located; reference tables on every node.")
      for step in steps {
        if let size = step.table.flatMap({ survey?.sizes[$0] }), size.bytes >= 1_000_000 {
          print("-- \(Self.text(size))")
        }
        print(step.statement)
      }
      print("-- Left on the coordinator: \(ClusterPlan.local.joined(separator: ", ")).")
    }

    /// Comments about the database: what will be moved, and what is missing.
    private static func lines(_ survey: ClusterSurvey, _ steps: [ClusterPlan.Step]) -> [String] {
      let tables = steps.compactMap(\.table)
      guard !tables.isEmpty else {
        return ["-- All tables of the database \(survey.database) are distributed. There is nothing to do."]
      }
      let sizes = tables.compactMap { survey.sizes[$0] }
      let total = ClusterSurvey.Size(
        rows: sizes.reduce(0) { $0 + $1.rows }, bytes: sizes.reduce(0) { $0 + $1.bytes })
      var lines = [
        "-- Database \(survey.database): \(TextFormat.count(tables.count, "table is", "tables are")) to be distributed.",
        "-- \(text(total))",
        "-- Times are estimates with \(TextFormat.bytes(ClusterPlan.rate)) per second; tables below 1 MB have none.",
        "-- Until the local rows are removed, the coordinator needs its present space, and the workers the same in all.",
      ]
      switch survey.nodes {
      case nil: lines.append("-- Citus is not installed in this database. The first statement installs it.")
      case .some(0), .some(1):
        let nodes = TextFormat.count(survey.nodes ?? 0, "node keeps", "nodes keep")
        lines.append("-- Only \(nodes) shards. First add workers with citus_add_node.")
      case .some(let nodes): lines.append("-- \(nodes) nodes keep shards.")
      }
      return lines
    }

    private static func text(_ size: ClusterSurvey.Size) -> String {
      let seconds = Double(size.bytes) / ClusterPlan.rate
      return """
        About \(TextFormat.grouped(Int(size.rows), "row")), \(TextFormat.bytes(Double(size.bytes))), \
        \(TextFormat.duration(seconds)).
        """
    }
  }
}
