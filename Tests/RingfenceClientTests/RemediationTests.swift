// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RingfenceClient

@Suite struct RemediationTests {
  private let block = ClientRemediation(pack: "block", blocks: true, origin: "source", source: "A list", score: "high")
  private let label = ClientRemediation(pack: "toxic", blocks: false)

  private func answers(_ status: Int, _ fields: [String: String] = [:]) -> ScriptedServer {
    ScriptedServer { request in
      request.url.path.hasSuffix("installations")
        ? ScriptedServer.Answer(status: 201, body: #"{"token":"plain"}"#)
        : ScriptedServer.Answer(status: status, fields: fields)
    }
  }

  private func paths(_ server: ScriptedServer) -> [String] { server.requests.map { $0.url.lastPathComponent } }

  @Test func `counts of a day are sent after its end, and at most ten`() async throws {
    try await withFolder { folder in
      let (clock, server) = (HandClock(), answers(201))
      do {
        let client = try RingfenceClient(configuration(folder), transport: server, environment: clock.environment)
        for outcome in [ClientRemediation.Outcome.blocked, .matched, .overridden] {
          for _ in 0..<6 { try await client.countRemediation(block, outcome) }
        }
        try await client.countRemediation(label, .labeled)
        await client.flush()
        #expect(server.requests.isEmpty)
      }
      clock.advance(86_400)
      let client = try await opened {
        try RingfenceClient(configuration(folder), transport: server, environment: clock.environment)
      }
      try await client.countRemediation(label, .labeled)
      await client.flush()
      await client.flush()
      #expect(paths(server) == ["installations", "remediations"])
      let sent = try #require(server.requests.last)
      #expect(sent.fields["Ringfence-Installation"] == "plain")
      #expect(
        String(decoding: sent.body ?? Data(), as: UTF8.self)
          == #"{"counts":[{"blocked":6,"labeled":0,"matched":10,"origin":"source","overridden":6,"pack":"block","#
          + #""score":"high","source":"A list","treatment":"block"}],"day":"2026-11-21"}"#)
    }
  }

  @Test func `a server without counts delays no report and is asked for three days`() async throws {
    try await withFolder { folder in
      let (clock, server) = (HandClock(), answers(404, ScriptedServer.problem))
      let client = try RingfenceClient(configuration(folder), transport: server, environment: clock.environment)
      try await client.countRemediation(block, .blocked)
      for day in 1...4 {
        clock.advance(86_400)
        let result = await client.flush()
        #expect(result.nextAttempt == nil && result.dropped == 0, "day \(day)")
      }
      #expect(paths(server).count { $0 == "remediations" } == 3)
    }
  }

  @Test func `a refused token is replaced, and refused counts are dropped`() async throws {
    try await withFolder { folder in
      let clock = HandClock()
      let refused = ScriptedServer.problem.merging(["Ringfence-Attestation": "invalid"]) { $1 }
      let (server, stubborn) = (answers(422, refused), answers(422, ScriptedServer.problem))
      do {
        let client = try RingfenceClient(configuration(folder), transport: server, environment: clock.environment)
        try await client.countRemediation(block, .blocked)
        clock.advance(86_400)
        for _ in 0..<2 { #expect(await client.flush().dropped == 0) }
        #expect(paths(server) == ["installations", "remediations", "installations", "remediations"])
      }
      let client = try await opened {
        try RingfenceClient(configuration(folder), transport: stubborn, environment: clock.environment)
      }
      #expect(await client.flush().dropped == 1)
      await client.flush()
      #expect(paths(stubborn) == ["installations", "remediations"])
    }
  }
}
