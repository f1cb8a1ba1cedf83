// SPDX-License-Identifier: Apache-2.0

import Foundation
import RingfenceCommand

/// The results of a run, as a table or as JSON.
struct IntakeBenchmarkReport: Encodable {
  /// The command line, without secrets.
  let command = Self.shown(CommandLine.arguments.joined(separator: " "))
  let connections: Int
  let batch: Int
  let server: BenchmarkServer
  var peers: [BenchmarkPeer] = []
  var postgres: BenchmarkSettings?
  /// Whether each measurement began with a CHECKPOINT.
  var checkpoints = false
  let memoryBefore: ProcessMemory?
  let memoryAfter: ProcessMemory?
  let loadBefore: Double
  var loadAfter: Double?

  init(
    plan: LoadPlan, server: BenchmarkServer, memoryBefore: ProcessMemory?, memoryAfter: ProcessMemory?,
    loadBefore: Double
  ) {
    connections = plan.connections
    batch = plan.batch
    self.server = server
    self.memoryBefore = memoryBefore
    self.memoryAfter = memoryAfter
    self.loadBefore = loadBefore
  }

  /// An object with keys in snake_case.
  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  /// A command line without the values of keys and connection strings.
  static func shown(_ command: String) -> String {
    command.replacing(/(--(key|database)[ =])\S+/) { "\($0.output.1)…" }
  }

  /// The count of each status, as in `201 × 5,000, 503 × 2`.
  static func statuses(_ statuses: [Int: Int]) -> String {
    statuses.sorted { $0.key < $1.key }.map { "\($0) × \(TextFormat.grouped($1))" }.joined(separator: ", ")
  }
}
