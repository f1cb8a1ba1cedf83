// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Storage

/// `ringfence ranges`
struct RangesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ranges", abstract: "Manage ranges: ten or a hundred numbers with complaints about many of them.",
    discussion: "Publications list all numbers of an approved range, except protected, decided and held ones.",
    subcommands: [Detect.self, List.self, Approve.self, Reject.self])

  /// `ringfence ranges detect`
  struct Detect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Find ranges and propose them. The server does this every hour.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      let found = try await database.open { context in
        try await context.stores.ranges.detect(at: Date())
      }
      for range in found { print(range.text) }
      if found.isEmpty { print("No new ranges. List all with: ringfence ranges list") }
    }
  }

  /// `ringfence ranges list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "List ranges, separated by tabs: range, state, category, numbers with complaints, heat, name, reason.")

    @OptionGroup var database: DatabaseOptions

    @Option(help: "List only ranges with this state: proposed, approved or rejected.")
    var state: String?

    func validate() throws {
      guard state.map({ ProposedRange.State(rawValue: $0) != nil }) ?? true else {
        throw ValidationError("There is no state \(state ?? ""). Use proposed, approved or rejected.")
      }
    }

    func run() async throws {
      let (state, now) = (state.flatMap { ProposedRange.State(rawValue: $0) }, Date())
      let ranges = try await database.open { context in
        try await context.stores.ranges.ranges(state)
      }
      for item in ranges {
        let heat = String(format: "%.1f", Decay.heat.value(ofStoredSum: item.heat, at: now))
        print(
          [
            item.range.text, item.state.rawValue, item.category.slug, String(item.members), heat, item.decidedBy ?? "",
            item.reason ?? "",
          ].joined(separator: "\t"))
      }
    }
  }

  /// `ringfence ranges approve`
  struct Approve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Approve a range: list all its numbers from the next publication on.")

    @OptionGroup var decision: RangeDecision

    func run() async throws { try await decision.decide(isApproved: true) }
  }

  /// `ringfence ranges reject`
  struct Reject: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Reject a range: do not list or propose it again.")

    @OptionGroup var decision: RangeDecision

    func run() async throws { try await decision.decide(isApproved: false) }
  }
}

struct RangeDecision: ParsableArguments {
  @OptionGroup private var database: DatabaseOptions

  @Argument(help: "Range as shown by `ranges list`, such as +3316200024x.")
  var range: String

  @Option(help: .value("name", "Name for the audit log."))
  var by: String

  @Option(help: "Reason for the audit log.")
  var reason: String?

  func validate() throws {
    guard NumberRange(range) != nil else {
      throw ValidationError(
        "\"\(range)\" is not a range. Write x for the last one or two digits, such as +3316200024x.")
    }
  }

  func decide(isApproved: Bool) async throws {
    guard let block = NumberRange(range) else { return }
    try await database.open { context in
      guard
        try await context.stores.ranges.decide(
          block, isApproved: isApproved, by: by, role: .administrator, reason: reason, at: Date())
      else {
        throw CommandFailure.failed("\(block.text) was not proposed. List all ranges with: ringfence ranges list")
      }
      print("\(block.text): \(isApproved ? "approved" : "rejected").")
    }
  }
}
