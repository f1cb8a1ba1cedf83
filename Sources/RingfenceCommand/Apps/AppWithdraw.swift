import ArgumentParser
import Foundation
import Storage
import Timestamps

/// `ringfence app withdraw KEY`
struct AppWithdraw: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw", abstract: "Take back all reports that came by a key, as when it leaked.",
    discussion: """
      Revoke the key first. Works in small steps beside a running server and can be broken off: a server goes on with it, \
      and so does this command. What is taken back stays so; the numbers' figures are right after every step.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var person: PersonOption

  @Argument(help: ArgumentHelp("The key's id, as `ringfence app keys` has it.", valueName: "key"))
  var keyID: Int32

  @Option(help: "Only what arrived from this time on, such as 2026-11-20T18:00:00Z.")
  var since: String?

  @Option(help: "Only what arrived before this time; all there is unless given.")
  var until: String?

  @Option(help: "Why, for the audit log.")
  var reason: String?

  @Flag(help: "Say what would be taken back, and change nothing.")
  var preview = false

  func validate() throws {
    let (since, until) = try times()
    guard since <= until ?? .distantFuture else { throw ValidationError("--since is before --until.") }
    guard until ?? .distantPast <= Date() else {
      throw ValidationError("--until is now at the latest: what is still to come cannot be taken back.")
    }
    guard preview || (1...1_000).contains(reason?.count ?? 0) else {
      throw ValidationError("Say why with --reason, in 1 to 1,000 characters; or only look with --preview.")
    }
  }

  func run() async throws {
    let (since, until) = try times()
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      try await withAppFailures {
        let store = context.stores.keyWithdrawals
        guard !preview, let reason else {
          return print(try await store.trace(keyID: keyID, since: since, until: until, at: Date()).text)
        }
        let work = try await store.ask(
          keyID: keyID, since: since, until: until, because: reason, by: person.by, at: Date())
        if case let pause = work.until.timeIntervalSinceNow, pause > 0 {
          let message =
            "Servers may believe the key until \(Timestamp.format(work.until)): its reports are taken back then. "
            + "A running server does so without this command.\n"
          FileHandle.standardError.write(Data(message.utf8))
          try await Task.sleep(for: .seconds(pause))
        }
        let meter = ProgressMeter(title: "Taking back", total: nil, unit: .items("reports"))
        var left: KeyWithdrawal? = work
        while let open = left, open.doneAt == nil {
          left = try await store.step(open.id, at: Date())
          meter.update(done: UInt64(left?.withdrawn ?? 0))
        }
        meter.finish()
        let count = left?.withdrawn ?? 0
        print("\(count) report\(count == 1 ? "" : "s") that came by key \(keyID) taken back.")
      }
    }
  }

  private func times() throws -> (since: Date, until: Date?) {
    func time(_ text: String?, _ option: String) throws -> Date? {
      guard let text else { return nil }
      guard let time = Timestamp.parse(text) else {
        throw ValidationError("\(option) is a time such as 2026-11-20T18:00:00Z.")
      }
      return time
    }
    return (try time(since, "--since") ?? Date(timeIntervalSince1970: 0), try time(until, "--until"))
  }
}

extension KeyTrace {
  /// A line.
  fileprivate var text: String {
    guard let first, let last else { return "No report that stands came by this key." }
    let count =
      reports == Self.mostReports ? "\(reports) or more reports" : "\(reports) report\(reports == 1 ? "" : "s")"
    return
      "\(count) about \(numbers) number\(numbers == 1 ? "" : "s") by \(reporters) reporter\(reporters == 1 ? "" : "s"), "
      + "arrived from \(Timestamp.format(first)) to \(Timestamp.format(last))."
  }
}
