// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import RingfenceClient

@Suite struct SendingTests {
  private func client(
    _ folder: URL, _ server: ScriptedServer, _ clock: HandClock = HandClock(), _ told: Told = Told()
  ) throws -> RingfenceClient {
    try RingfenceClient(configuration(folder), transport: server, environment: clock.environment, onEvent: told.take)
  }

  /// The server has accepted a batch and the app dies before the response: the next one sends the same bytes.
  @Test func `a retry sends the same bytes`() async throws {
    try await withFolder { folder in
      let reports = try (0..<3).map { try report(comment: "\($0)") }
      let deaf = ScriptedServer { _ in throw ClientError.network("cut") }
      do {
        let client = try client(folder, deaf)
        for one in reports { try await client.report(one) }
        #expect(await client.flush().waiting == 3)
      }
      let told = Told()
      let server = ScriptedServer { try ScriptedServer.results("duplicate", of: $0) }
      let client = try await opened { try self.client(folder, server, HandClock(), told) }
      #expect(await client.flush() == FlushResult(delivered: 3))
      #expect(server.requests.map(\.body) == deaf.requests.map(\.body))
      #expect(told.all == reports.map { .delivered(report: $0.reportID) })
    }
  }

  @Test func `a request contains at most a hundred reports`() async throws {
    try await withFolder { folder in
      let server = ScriptedServer { try ScriptedServer.results("created", of: $0) }
      let client = try client(folder, server)
      for _ in 0..<230 { try await client.report(report()) }
      #expect(await client.flush().delivered == 230)
      let counts = try server.requests.map {
        try JSONDecoder().decode([ClientReport].self, from: $0.body ?? Data()).count
      }
      #expect(counts == [100, 100, 30])
    }
  }

  @Test func `an urgent flush respects Retry-After`() async throws {
    try await withFolder { folder in
      let clock = HandClock()
      let server = ScriptedServer { _ in .init(status: 503, fields: ["retry-after": "120"]) }
      let client = try client(folder, server, clock)
      try await client.report(report())
      let next = try #require(await client.flush().nextAttempt)
      #expect(next >= clock.now + 120)
      clock.advance(119)
      await client.flush(isUrgent: true)
      #expect(server.requests.count == 1)
      clock.advance(next.timeIntervalSince(clock.now))
      await client.flush()
      #expect(server.requests.count == 2)
    }
  }

  @Test func `pauses grow and an urgent flush skips them`() async throws {
    try await withFolder { folder in
      let clock = HandClock()
      let server = ScriptedServer { _ in throw ClientError.network("down") }
      let client = try client(folder, server, clock)
      try await client.report(report())
      var pauses: [Double] = []
      for _ in 0..<14 {
        let next = try #require(await client.flush().nextAttempt)
        pauses.append(next.timeIntervalSince(clock.now))
        await client.flush()
        clock.advance(pauses.last ?? 0)
      }
      #expect(server.requests.count == 14)
      #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
      #expect(pauses.last == 2_700)
      await client.flush(isUrgent: true)
      #expect(server.requests.count == 15)
    }
  }

  @Test func `a report of an app's server has the day of the account and the address`() throws {
    func json(_ report: ClientReport) throws -> String {
      String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
    }
    let vouched = try ClientReport(
      number: "+49301234", category: "fraud", reporter: "user-1", reporterSince: Date(timeIntervalSince1970: 86_399),
      clientAddress: "203.0.113.7")
    #expect(try json(vouched).contains(#""reporter_since":"1970-01-01""#))
    #expect(try json(vouched).contains(#""client_address":"203.0.113.7""#))
    #expect(try !json(report()).contains("since") && !json(report()).contains("address"))
    #expect(throws: ClientError.self) {
      try ClientReport(number: "+49301234", category: "fraud", reporter: "user-1", clientAddress: "")
    }
    let failed = try ClientReport(number: "+49301234", category: "fraud", reporter: "user-1", verification: "failed")
    #expect(try json(failed).contains(#""verification":"failed""#) && !json(vouched).contains("verification"))
    #expect(throws: ClientError.self) {
      try ClientReport(number: "+49301234", category: "fraud", reporter: "user-1", verification: "Failed")
    }
  }

  @Test func `reports that the server will never accept are dropped`() async throws {
    try await withFolder { folder in
      let told = Told()
      let reports = try (0..<5).map { _ in try report() }
      let states = ["created", "conflict", "withdrawn", "invalid", "limited"]
      let server = ScriptedServer { _ in
        let errors = #"[{"pointer":"/number","code":"not_valid","detail":"No number."}]"#
        let items = states.map { #"{"status":"\#($0)","errors":\#($0 == "invalid" ? errors : "[]")}"# }
        return .init(body: #"{"results":[\#(items.joined(separator: ","))]}"#)
      }
      let clock = HandClock()
      let client = try client(folder, server, clock, told)
      for one in reports { try await client.report(one) }
      let result = await client.flush()
      #expect(result.delivered == 1 && result.dropped == 3 && result.waiting == 1)
      #expect(
        told.all == [
          .dropped(report: reports[1].reportID, reason: .conflict),
          .dropped(report: reports[2].reportID, reason: .withdrawn),
          .dropped(report: reports[3].reportID, reason: .invalid("number: not_valid")),
          .delivered(report: reports[0].reportID),
        ])
      // The reporter has reached the limit of the day.
      #expect(try #require(result.nextAttempt) > clock.now + UTCDay.secondsLeft(at: clock.now))
      // The withdrawal of the report waits with it.
      try await client.withdraw(reports[4].reportID)
      let next = try #require(await client.flush().nextAttempt)
      #expect(next > clock.now + UTCDay.secondsLeft(at: clock.now))
    }
  }

  /// When the server refuses a request, the report at fault is found, and the others arrive.
  @Test(arguments: [400, 413, 422]) func `the report that fails a request is found and the others are delivered`(
    status: Int
  ) async throws {
    try await withFolder { folder in
      let told = Told()
      let server = ScriptedServer { request in
        let isBad = request.body.map { String(decoding: $0, as: UTF8.self).contains("bad") } ?? false
        return isBad
          ? .init(status: status, fields: ScriptedServer.problem) : try ScriptedServer.results("created", of: request)
      }
      let client = try client(folder, server, HandClock(), told)
      for index in 0..<40 { try await client.report(report(comment: index == 23 ? "bad" : "good")) }
      let result = await client.flush()
      #expect(result == FlushResult(delivered: 39, dropped: 1))
      #expect(server.requests.count < 30)
    }
  }

  /// Responses of a proxy, or of another server at the address, drop nothing.
  @Test(arguments: [400, 404, 409, 410, 413, 422, 302, 500]) func `responses of a proxy or another server drop no data`(
    status: Int
  ) async throws {
    try await withFolder { folder in
      let told = Told()
      let client = try client(folder, ScriptedServer { _ in .init(status: status) }, HandClock(), told)
      try await client.report(report())
      try await client.countCall(from: "+33199000248", wasNamed: true, at: Date(timeIntervalSince1970: 1_795_000_000))
      #expect(await client.flush().waiting == 1)
      #expect(await client.flush(isUrgent: true).waiting == 1)
      #expect(told.all.isEmpty)
    }
  }

  @Test func `an unknown key drops no data`() async throws {
    try await withFolder { folder in
      let told = Told()
      let client = try client(folder, ScriptedServer { _ in .init(status: 401) }, HandClock(), told)
      try await client.report(report())
      #expect(await client.flush().waiting == 1)
      #expect(told.all == [.keyRefused(.unknown)])
    }
  }

  @Test func `a report is sent before its withdrawal`() async throws {
    try await withFolder { folder in
      let isDown = Mutex(true)
      let server = ScriptedServer { request in
        if isDown.withLock({ $0 }) { throw ClientError.network("down") }
        return request.method == "DELETE"
          ? .init(status: 204) : try ScriptedServer.results("created", of: request)
      }
      let clock = HandClock()
      let client = try client(folder, server, clock)
      let one = try report()
      try await client.report(one)
      await client.flush()
      try await client.withdraw(one.reportID)
      #expect(await client.waiting == 2)
      isDown.withLock { $0 = false }
      clock.advance(10)
      #expect(await client.flush().waiting == 0)
      #expect(server.requests.map(\.method) == ["POST", "POST", "DELETE"])
      #expect(server.requests.last?.url.path == "/v1/reports/\(one.reportID.uuidString.lowercased())")
    }
  }

  /// One batch a day, under one id, however often it is sent and whenever the app dies.
  @Test func `calls are counted in one batch a day`() async throws {
    try await withFolder { folder in
      let clock = HandClock()
      let deaf = ScriptedServer { _ in throw ClientError.network("cut") }
      do {
        let client = try client(folder, deaf, clock)
        for _ in 0..<3 { try await client.countCall(from: "+33199000248", wasNamed: true) }
        #expect(await client.flush() == FlushResult())
        clock.advance(86_400)
        try await client.countCall(from: "+33199000248", wasNamed: false)
        await client.flush()
      }
      let server = ScriptedServer { _ in .init(status: 201) }
      let client = try await opened { try self.client(folder, server, clock) }
      #expect(await client.flush().waiting == 0)
      #expect(server.requests.map(\.body) == deaf.requests.map(\.body))
      let batch = try JSONDecoder().decode(CallBatch.self, from: try #require(server.requests[0].body))
      #expect(batch.items.map(\.named) == [3] && batch.items.map(\.day) == ["2026-11-21"])
      clock.advance(86_400)
      await client.flush()
      let second = try JSONDecoder().decode(CallBatch.self, from: try #require(server.requests[1].body))
      #expect(second.items.map(\.unknown) == [1] && second.batchID != batch.batchID)
    }
  }

  /// A refused key is neither a failure of the network nor a number that is not listed.
  @Test(arguments: [(401, [:], KeyRefusal.unknown), (403, ScriptedServer.problem, .scope), (403, [:], nil)])
  func `a refused key is distinguished from a missing number`(
    status: Int, fields: [String: String], refusal: KeyRefusal?
  ) async throws {
    try await withFolder { folder in
      let told = Told()
      let client = try client(folder, ScriptedServer { _ in .init(status: status, fields: fields) }, HandClock(), told)
      try await client.report(report())
      let result = await client.flush()
      #expect(result.waiting == 1 && result.dropped == 0)
      #expect(told.all == (refusal.map { [.keyRefused($0)] } ?? []))
      let error = refusal.map { ClientError.key($0) } ?? .status(status)
      await #expect(throws: error) { _ = try await client.listing(of: 33_199_000_248) }
    }
  }

  @Test func `descriptions contain no number and no comment`() throws {
    let secret = "+33199000248"
    let one = try report(secret, comment: "Said my name")
    var dumped = ""
    dump(one, to: &dumped)
    for text in ["\(one)", String(reflecting: one), dumped] {
      #expect(!text.contains("199000248") && !text.contains("my name"))
    }
    #expect(throws: ClientError.invalid(field: "reporter", rule: "1 to 200 characters.")) {
      try ClientReport(number: secret, category: "fraud", reporter: "")
    }
  }

  @Test func `a folder has one client and keys are sent over HTTPS only`() async throws {
    try await withFolder { folder in
      let server = ScriptedServer { _ in .init() }
      let first = try client(folder, server)
      #expect(throws: ClientError.busy) { _ = try client(folder, server) }
      #expect(await first.waiting == 0)
      #expect(throws: ClientError.self) {
        try ClientConfiguration(server: URL(string: "http://ringfence.example/v1")!, key: "k", folder: folder)
      }
    }
  }

  @Test func `Retry-After is parsed as seconds and as a date`() {
    let now = Date(timeIntervalSince1970: 1_795_262_400)
    func asked(_ text: String) -> Double? {
      ClientHead(status: 503, fields: ["Retry-After": text]).retryAfter(at: now)
    }
    #expect(asked("7") == 7)
    #expect(asked("Sat, 21 Nov 2026 12:00:30 GMT") == 30)
    #expect(asked("soon") == nil)
  }
}
