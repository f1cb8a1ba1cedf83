// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

@testable import RingfenceClient

/// A folder that is removed after the body.
func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(path: "client-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}

/// A server with the responses of a test, which records the requests.
final class ScriptedServer: ClientTransport {
  struct Answer: Sendable {
    var status = 200
    var fields: [String: String] = [:]
    var body = ""
  }

  static let problem = ["Content-Type": "application/problem+json"]

  private let answer: @Sendable (ClientRequest) throws -> Answer
  private let asked = Mutex<[ClientRequest]>([])

  init(_ answer: @escaping @Sendable (ClientRequest) throws -> Answer) { self.answer = answer }

  var requests: [ClientRequest] { asked.withLock { $0 } }

  func send(
    _ request: ClientRequest, head: @escaping @Sendable (ClientHead) throws -> Void,
    body: @escaping @Sendable (Data) throws -> Void
  ) async throws {
    asked.withLock { $0.append(request) }
    let answer = try answer(request)
    try head(ClientHead(status: answer.status, fields: answer.fields))
    try body(Data(answer.body.utf8))
  }

  /// Answers with the same result for every report of a batch.
  static func results(_ status: String, of request: ClientRequest) throws -> Answer {
    let reports = try JSONDecoder().decode([ClientReport].self, from: request.body ?? Data())
    let items = reports.map { #"{"report_id":"\#($0.reportID)","status":"\#(status)"}"# }
    return Answer(body: #"{"results":[\#(items.joined(separator: ","))]}"#)
  }
}

/// A clock that a test sets; waiting ends at once.
final class HandClock: Sendable {
  private let time = Mutex(Date(timeIntervalSince1970: 1_795_262_400))

  var now: Date { time.withLock { $0 } }
  func advance(_ seconds: Double) { time.withLock { $0 += seconds } }

  var environment: ClientEnvironment {
    ClientEnvironment(now: { self.now }, sleep: { _ in }, chance: { 0.5 })
  }
}

/// The events of a client.
final class Told: Sendable {
  private let events = Mutex<[ClientEvent]>([])
  var all: [ClientEvent] { events.withLock { $0 } }
  func take(_ event: ClientEvent) { events.withLock { $0.append(event) } }
}

func configuration(_ folder: URL, outboxLimit: Int = 2 << 20) throws -> ClientConfiguration {
  try ClientConfiguration(
    server: URL(string: "https://ringfence.example/v1")!, key: "rf_key", folder: folder, outboxLimit: outboxLimit)
}

func report(_ number: String = "+33199000248", comment: String? = nil) throws -> ClientReport {
  try ClientReport(number: number, category: "fraud", reporter: "user-1", comment: comment)
}

/// Opens a client whose predecessor was released: a task that has ended may keep the folder locked for a moment.
func opened(_ open: () throws -> RingfenceClient) async throws -> RingfenceClient {
  let deadline = ContinuousClock.now + .seconds(300)
  while true {
    do {
      return try open()
    } catch let error as ClientError {
      guard error == .busy, ContinuousClock.now < deadline else { throw error }
      await Task.yield()
    }
  }
}
