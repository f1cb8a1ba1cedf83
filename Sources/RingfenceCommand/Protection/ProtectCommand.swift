import ArgumentParser
import Curation
import Foundation
import Localization
import Storage
import Timestamps

/// `ringfence protect`
struct ProtectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "protect", abstract: "Numbers that may never be published: banks, authorities, hospitals.",
    discussion: """
      Emergency and short numbers are protected by themselves. A pattern has the digits of the international form, x for \
      any one digit, and * at its end for any further ones: +49116117, +49116xxx, +4930197*.
      Reports about a protected number are taken and kept, and weigh nothing; it cannot be blocked or identified; and a \
      publication that holds one is not made visible. Rows of imported lists, which name no reporter, keep their weight: \
      a look-up still counts them, and no publication lists the number for them.
      """,
    subcommands: [Add.self, List.self, Remove.self])

  /// `ringfence protect add`
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Protect numbers and patterns.")

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "Numbers and patterns.")
    var patterns: [String] = []

    @Option(
      help: "A file with a number or pattern a line; behind a tab its own reason; # begins a line of remarks.",
      completion: .file())
    var file: String?

    @Option(help: "Whose they are and why, 1 to 200 characters, for everybody who looks one up.")
    var reason: String

    @Option(help: "Who protects them.")
    var by = "operator"

    func validate() throws {
      guard !patterns.isEmpty || file != nil else { throw ValidationError("Name a PATTERN or a --file.") }
      do throws(RuleViolation) {
        _ = try RuleViolation.line(reason, "--reason", atMost: 200)
        _ = try RuleViolation.line(by, "--by", atMost: 80)
      } catch {
        throw ValidationError(try Localizer.commandLine().message(error))
      }
      _ = try named
    }

    func run() async throws {
      let targets = try named + (try file.map { try ProtectionFile(path: $0, reason: reason).targets() } ?? [])
      try await CommandContext.open(database, owns: false, logger: .quiet) { context in
        do {
          try await context.stores.protection.add(targets, by: by, at: Date(), audit: event(targets))
        } catch let error as ProtectionError {
          throw CommandFailure.failed("\(error)")
        }
        print("\(targets.count) protected.")
        for item in targets {
          guard case .number(let number) = item.target, targets.count <= 1_000,
            let decision = try await context.stores.decisions.standing(of: number), decision.treatment != .allow
          else { continue }
          print(
            "A decision to \(decision.treatment.rawValue) +\(number) stands; it has no effect while the number is protected."
          )
        }
      }
    }

    /// One for all of a file: the list itself says who added each.
    private func event(_ targets: [(target: ProtectionTarget, reason: String)]) -> AuditEvent {
      let subject = targets.count == 1 ? patterns.first ?? file ?? "" : "\(targets.count) numbers and patterns"
      let what = (patterns.prefix(20) + [file].compactMap { $0 }).joined(separator: " ")
      return Actor.commandLine(by).did("protection.add", to: subject, after: ["what": what], because: reason)
    }

    private var named: [(target: ProtectionTarget, reason: String)] {
      get throws {
        try patterns.map { text in
          do throws(ProtectedPatternError) {
            return (try ProtectionTarget(text), reason)
          } catch {
            throw ValidationError("\(text): \(try Localizer.commandLine().message(error))")
          }
        }
      }
    }
  }

  /// `ringfence protect list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print what is protected, patterns first: pattern, reason, who, when, with tabs between.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      try await CommandContext.open(database, owns: false, logger: .quiet) { context in
        try await context.stores.protection.forEach { batch in
          for item in batch {
            print([item.what, item.reason, item.addedBy, Timestamp.format(item.addedAt)].joined(separator: "\t"))
          }
        }
      }
    }
  }

  /// `ringfence protect remove`
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take a protection away; reports weigh again within the hour, or after: ringfence reporters recount")

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "As `protect list` prints it.")
    var pattern: String

    @Option(help: "Who does it, for the audit log.")
    var by = "command line"

    @Option(help: "Why, for the audit log.")
    var reason: String?

    func validate() throws {
      _ = try target
      guard (1...80).contains(by.count) else { throw ValidationError("--by has 1 to 80 characters.") }
    }

    func run() async throws {
      let target = try target
      try await CommandContext.open(database, owns: false, logger: .quiet) { context in
        let event = Actor.commandLine(by).did("protection.remove", to: pattern, because: reason)
        guard try await context.stores.protection.remove(target, audit: (event, Date())) else {
          throw CommandFailure.failed("\(pattern) is not protected by itself. See: ringfence protect list")
        }
        print("\(pattern) is no longer protected.")
      }
    }

    private var target: ProtectionTarget {
      get throws {
        do throws(ProtectedPatternError) {
          return try ProtectionTarget(pattern)
        } catch {
          throw ValidationError("\(pattern): \(try Localizer.commandLine().message(error))")
        }
      }
    }
  }
}
