import ArgumentParser
import Curation
import Foundation
import Localization
import Storage

/// `ringfence ranges`
struct RangesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ranges", abstract: "Blocks of ten or a hundred numbers that call together.",
    discussion: "An approved block is published whole, less what is protected or decided in it.",
    subcommands: [Detect.self, List.self, Approve.self, Reject.self])

  /// `ringfence ranges detect`
  struct Detect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Look for blocks and propose them; the server does so every hour.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      let found = try await CommandContext.open(database, owns: false, logger: .quiet) { context in
        try await context.stores.ranges.detect(at: Date())
      }
      for range in found { print(range.text) }
      if found.isEmpty { print("Nothing new. See: ringfence ranges list") }
    }
  }

  /// `ringfence ranges list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Print blocks: block, state, category, numbers complained of, heat, who decided, reason, with tabs between.")

    @OptionGroup var database: DatabaseOptions

    @Option(help: "Only those: proposed, approved or rejected.")
    var state: String?

    func validate() throws {
      guard state.map({ ProposedRange.State(rawValue: $0) != nil }) ?? true else {
        throw ValidationError("--state is proposed, approved or rejected.")
      }
    }

    func run() async throws {
      let (state, now) = (state.flatMap { ProposedRange.State(rawValue: $0) }, Date())
      let ranges = try await CommandContext.open(database, owns: false, logger: .quiet) { context in
        try await context.stores.ranges.ranges(state)
      }
      for item in ranges {
        let heat = String(format: "%.1f", Decay.heat.value(ofMass: item.heat, at: now))
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
    static let configuration = CommandConfiguration(abstract: "Publish a block whole from the next publication on.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var decision: RangeDecision

    func run() async throws { try await decision.decide(isApproved: true, database) }
  }

  /// `ringfence ranges reject`
  struct Reject: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Do not publish a block whole, and do not propose it again.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var decision: RangeDecision

    func run() async throws { try await decision.decide(isApproved: false, database) }
  }
}

/// What is decided about a block.
struct RangeDecision: ParsableArguments {
  @Argument(help: "The block as `ranges list` prints it, such as +3316200024x.")
  var range: String

  @Option(help: "Who decides.")
  var by: String

  @Option(help: "Why.")
  var reason: String?

  func validate() throws {
    guard NumberRange(range) != nil else {
      throw ValidationError("A block has x in the place of its last one or two digits: +3316200024x.")
    }
  }

  func decide(isApproved: Bool, _ database: DatabaseOptions) async throws {
    guard let block = NumberRange(range) else { return }
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      do {
        guard
          try await context.stores.ranges.decide(
            block, isApproved: isApproved, by: by, role: .administrator, reason: reason, at: Date())
        else { throw CommandFailure.failed("\(block.text) was not proposed. See: ringfence ranges list") }
      } catch let problem as RuleViolation {
        throw CommandFailure.failed(try Localizer.commandLine().message(problem))
      }
      print("\(block.text): \(isApproved ? "approved" : "rejected").")
    }
  }
}
