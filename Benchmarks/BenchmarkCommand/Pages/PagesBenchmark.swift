// SPDX-License-Identifier: Apache-2.0

import Foundation
import RingfenceCommand

/// Requests each page that moderators use, a number of times.
struct PagesBenchmark {
  let client: BlockingHTTPClient
  let rounds: Int
  /// Runs SELECT 1; called before each request.
  let reference: () async throws -> Void

  /// - Throws: `CommandFailure` if the queue is empty or the response of a page is not 200.
  func run() async throws -> [PageTimings] {
    let first = try page("/moderation/queue").text
    let next = first.firstMatch(of: /rel="next" href="([^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") }
    let numbers = first.matches(of: /name="number" value="([0-9]+)"/).map { String($0.1) }
    guard let token = first.firstMatch(of: /name="csrf" value="([0-9a-f]+)"/)?.1, !numbers.isEmpty else {
      throw CommandFailure.failed("The queue is empty. Fill a database with: ringfence-benchmark fill --queue 50000")
    }
    var all = [
      try await measure("queue, first page") { _ in "/moderation/queue" },
      try await measure("queue, next page") { _ in next ?? "/moderation/queue" },
      try await measure("queue, filtered") { _ in "/moderation/queue?cause=held&days=7" },
      try await measure("what is left") { _ in "/moderation/queue/left" },
      try await measure("case") { "/moderation/numbers/\(numbers[$0 % numbers.count])?queue=1" },
      try await measureDecisions(token: String(token)),
    ]
    if try client.get("/moderation/search?q=120100").status == 200 {
      all.append(try await measure("search, part of a number") { "/moderation/search?q=1201\(10 + $0 % 90)" })
    }
    return all
  }

  private func page(_ path: String) throws -> BlockingHTTPClient.Answer {
    let page = try client.get(path)
    guard page.status == 200 else { throw CommandFailure.failed("GET \(path) was answered with \(page.status).") }
    return page
  }

  private func measure(_ name: String, _ path: (Int) -> String) async throws -> PageTimings {
    // The first request warms up.
    _ = try page(path(0))
    var (pages, references): ([BlockingHTTPClient.Answer], [Double]) = ([], [])
    for round in 0..<rounds {
      references.append(try await measureReference())
      pages.append(try page(path(round)))
    }
    return PageTimings(
      name: name, times: pages.map(\.milliseconds), reference: references,
      bytes: pages.map(\.bytes).sorted()[pages.count / 2])
  }

  private func measureReference() async throws -> Double {
    let start = ContinuousClock.now
    try await reference()
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  /// Measures decisions with the claim of the next case, without the requests for the pages of the cases.
  private func measureDecisions(token: String) async throws -> PageTimings {
    var (times, references): ([Double], [Double]) = ([], [])
    var bytes = 0
    var answer = try client.post("/moderation/queue/next", [("csrf", token)])
    while times.count < rounds, let path = answer.field("Location"), path.hasPrefix("/moderation/numbers/") {
      let forms = HTMLForm.all(in: try page(path).text)
      let form = forms.first { $0.offers.contains { $0.name == "decision" && $0.value == "allow" } }
      guard let form else {
        // A moderator may not decide this case: for example a number with very many reporters.
        guard let skip = forms.first(where: { $0.action == "/moderation/queue/next" }) else {
          throw CommandFailure.failed("The page \(path) has neither a form for a decision nor one for the next case.")
        }
        answer = try client.post(skip.action, skip.fields)
        continue
      }
      references.append(try await measureReference())
      answer = try client.post(form.action, form.choosing("allow", of: "decision").fields)
      guard answer.status == 303 else {
        throw CommandFailure.failed("POST \(form.action) was answered with \(answer.status).")
      }
      times.append(answer.milliseconds)
      bytes = answer.bytes
    }
    return PageTimings(name: "decision and next", times: times, reference: references, bytes: bytes)
  }
}
