// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Storage
import Support

struct AppWithdraw: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw", abstract: "Withdraw all reports of a key, for example after it was leaked.",
    discussion: """
      Revoke the key first. The work is done in small steps, and a server can run at the same time. If you stop this \
      command, a server or the next run continues. Withdrawn reports stay withdrawn.
      """)

  @OptionGroup var key: KeyOptions

  @Option(help: .value("time", "Withdraw only reports received from this time on, such as 2026-11-20T18:00:00Z."))
  var since: String?

  @Option(help: .value("time", "Withdraw only reports received before this time. Default: now."))
  var until: String?

  @Option(help: "Reason for the audit log, 1 to 1000 characters.")
  var reason: String?

  @Flag(help: "Show the reports that would be withdrawn, and change nothing.")
  var preview = false

  func validate() throws {
    let (since, until) = try times()
    guard since <= until ?? .distantFuture else {
      throw ValidationError("--since \(Timestamp.format(since)) is after --until. Swap them.")
    }
    guard until ?? .distantPast <= Date() else {
      throw ValidationError("--until is in the future. Use a time until now, or leave it out.")
    }
    guard preview || (1...TextLimit.overruling).contains(reason?.unicodeScalars.count ?? 0) else {
      throw ValidationError("--reason is missing or too long. Pass 1 to 1000 characters, or use --preview.")
    }
  }

  func run() async throws {
    let (since, until) = try times()
    try await key.database.open(as: key.audit) { context in
      let store = context.stores.keyWithdrawals
      guard !preview, let reason else {
        return print(try await store.trace(keyID: key.id, since: since, until: until, at: Date()).text)
      }
      let work = try await store.ask(
        keyID: key.id, since: since, until: until, because: reason, by: key.audit.name, at: Date())
      if case let pause = work.until.timeIntervalSinceNow, pause > 0 {
        let message =
          "Servers may accept the key until \(Timestamp.format(work.until)). Its reports are withdrawn then. "
          + "A running server does this without this command.\n"
        FileHandle.standardError.write(Data(message.utf8))
        try await Task.sleep(for: .seconds(pause))
      }
      let meter = ProgressMeter(title: "Withdrawing", total: nil, unit: .items("reports"))
      var left: KeyWithdrawal? = work
      while let open = left, open.doneAt == nil {
        left = try await store.step(open.id, at: Date())
        meter.update(done: UInt64(left?.withdrawn ?? 0))
      }
      meter.finish()
      print("\(TextFormat.count(left?.withdrawn ?? 0, "report")) of key \(key.id) withdrawn.")
    }
  }

  private func times() throws -> (since: Date, until: Date?) {
    func time(_ text: String?, _ option: String) throws -> Date? {
      guard let text else { return nil }
      guard let time = Timestamp.parse(text) else {
        throw ValidationError("\(option) \"\(text)\" is not a time. Write it as 2026-11-20T18:00:00Z.")
      }
      return time
    }
    return (try time(since, "--since") ?? Date(timeIntervalSince1970: 0), try time(until, "--until"))
  }
}

extension KeyReportCounts {
  /// The summary in one line.
  fileprivate var text: String {
    guard let first, let last else { return "This key has no reports to withdraw." }
    let count =
      reports == Self.maxReports ? "\(reports) or more reports" : TextFormat.count(reports, "report")
    return
      "\(count) about \(TextFormat.count(numbers, "number")) by \(TextFormat.count(reporters, "reporter")), "
      + "received from \(Timestamp.format(first)) to \(Timestamp.format(last))."
  }
}
