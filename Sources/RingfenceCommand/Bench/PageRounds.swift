import Foundation

/// Asks for the pages of a moderator's day, each so many times.
struct PageRounds {
  let client: PageClient
  let rounds: Int
  /// The least question to the database, asked before each page.
  let least: () async throws -> Void

  /// - Throws: `CommandFailure` when a page is answered otherwise than with 200.
  func all() async throws -> [PageFigures] {
    let first = try page("/moderation/queue")
    let next = first.text.firstMatch(of: /rel="next" href="([^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") }
    let numbers = first.text.matches(of: /name="number" value="([0-9]+)"/).map { String($0.1) }
    guard let token = first.text.firstMatch(of: /name="csrf" value="([0-9a-f]+)"/)?.1, !numbers.isEmpty else {
      throw CommandFailure.failed(
        "Nothing waits in the queue. Fill a database with: ringfence bench fill --queue 50000")
    }
    var all = [
      try await measure("queue, first page") { _ in "/moderation/queue" },
      try await measure("queue, next page") { _ in next ?? "/moderation/queue" },
      try await measure("queue, filtered") { _ in "/moderation/queue?cause=held&days=7" },
      try await measure("what is left") { _ in "/moderation/queue/left" },
      try await measure("case") { "/moderation/numbers/\(numbers[$0 % numbers.count])?queue=1" },
      try await ruling(token: String(token)),
    ]
    if try client.get("/moderation/search?q=120100").status == 200 {
      all.append(try await measure("search, part of a number") { "/moderation/search?q=1201\(10 + $0 % 90)" })
    }
    return all
  }

  private func page(_ path: String) throws -> PageClient.Page {
    let page = try client.get(path)
    guard page.status == 200 else { throw CommandFailure.failed("GET \(path) was answered with \(page.status).") }
    return page
  }

  private func measure(_ name: String, _ path: (Int) -> String) async throws -> PageFigures {
    // The first one warms up.
    _ = try page(path(0))
    var (pages, questions): ([PageClient.Page], [Double]) = ([], [])
    for round in 0..<rounds {
      questions.append(try await question())
      pages.append(try page(path(round)))
    }
    return PageFigures(
      name: name, times: pages.map(\.milliseconds), least: questions,
      bytes: pages.map(\.bytes).sorted()[pages.count / 2])
  }

  private func question() async throws -> Double {
    let start = ContinuousClock.now
    try await least()
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  /// A ruling with the claim of the next case; the page of the case itself is not counted.
  private func ruling(token: String) async throws -> PageFigures {
    var (times, questions): ([Double], [Double]) = ([], [])
    var bytes = 0
    var answer = try client.post("/moderation/queue/next", [("csrf", token)])
    while times.count < rounds, let path = answer.location, path.hasPrefix("/moderation/numbers/") {
      let form = try page(path).text.components(separatedBy: "id=\"ruling\"").last ?? ""
      let end = form.range(of: "</form>")?.lowerBound ?? form.endIndex
      let hidden = form[..<end].matches(of: /type="hidden" name="([a-z]+)" value="([^"]*)"/).map {
        (String($0.1), String($0.2))
      }
      let number = path.dropFirst("/moderation/numbers/".count).prefix { $0.isNumber }
      questions.append(try await question())
      answer = try client.post("/moderation/numbers/\(number)/ruling", hidden + [("decision", "allow")])
      guard answer.status == 303 else {
        throw CommandFailure.failed("A ruling was answered with \(answer.status).")
      }
      times.append(answer.milliseconds)
      bytes = answer.bytes
    }
    return PageFigures(name: "ruling and next", times: times, least: questions, bytes: bytes)
  }
}
