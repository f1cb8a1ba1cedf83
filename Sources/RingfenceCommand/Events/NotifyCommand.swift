// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import CurlHTTP
import Foundation
import Jobs
import HTTPServer
import OutboundHTTP
import Storage

struct NotifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notify", abstract: "Show who is notified of events, or send a test to all of them.",
    discussion: """
      Webhooks get all events; each account chooses its mails on its page. The settings mail, mail-user, mail-password \
      and mail-from must be the server's: set them in the same file.
      """)

  @OptionGroup var database: DatabaseOptions

  @Flag(help: "Send a test to every webhook and mail address.")
  var test = false

  func run() async throws {
    try await database.open(migrates: false) { context in
      let texts = try context.installation.englishTexts()
      if test { return try await send(context, texts) }
      let receivers = try await context.stores.outbox.receivers()
      if receivers.isEmpty { print("Events have no receiver. Set webhook, or choose mails on an account's page.") }
      for (receiver, events) in receivers {
        print("\(receiver): \(receiver.hasPrefix("mailto:") ? events.joined(separator: ", ") : "all events")")
      }
      for message in try await context.stores.outbox.waiting() {
        let failure = message.failure.map { texts.message("events.failure", $0) } ?? "It was not sent yet."
        print("\(message.isGivenUp ? "given up" : "waiting"): \(message.event) to \(message.receiver). \(failure)")
      }
    }
  }

  private func send(_ context: CommandContext, _ texts: Localizer) async throws {
    // Due a little later, so that a server that runs does not take the messages first; and one attempt each, because a
    // failed message is due again later than this.
    let now = Date() + 20
    let event = Event(.test, at: now)
    try await context.stores.outbox.record(event, at: now)
    let job = try context.outboxJob(logger: .quiet)
    var results: [(receiver: String, failure: DeliveryFailure?)] = []
    try await OutboundHTTP.withClient { client throws in
      while case let sent = try await job.sendDue(at: now, of: event.id, by: client), !sent.isEmpty {
        results += sent
      }
    }
    if results.isEmpty {
      throw CommandFailure.failed("Events have no receiver. Set webhook, or choose mails on an account's page.")
    }
    for result in results {
      print("\(result.receiver): \(result.failure.map { texts.message("events.failure", $0) } ?? "sent")")
    }
    let failures = results.count { $0.failure != nil }
    guard failures == 0 else {
      throw CommandFailure.failed("Receivers that were not reached: \(failures) of \(results.count).")
    }
  }
}
