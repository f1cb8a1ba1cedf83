// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Dispatch
import Foundation
import Histogram
import RingfenceCommand
import Support

/// Keeps connections busy from one thread: each sends its next request as soon as the last one is answered.
struct LoadDriver {
  private let plan: LoadPlan
  private var generator: ReportGenerator
  private var connections: [LoadConnection]
  private var result = LoadResult()
  private var time: (second: Int, text: [UInt8]) = (0, [])

  private static let drain: UInt64 = 10_000_000_000

  /// Sends for the plan's seconds, then waits at most ten seconds for the answers that are missing.
  /// - Throws: ``CommandFailure`` when no server answers.
  static func run(_ plan: LoadPlan) async throws -> LoadResult {
    let generator = try ReportGenerator(seed: plan.seed, filled: plan.filled)
    return try await runOnThread {
      var driver = LoadDriver(plan: plan, generator: generator)
      return try driver.run()
    }
  }

  private init(plan: LoadPlan, generator: ReportGenerator) {
    self.plan = plan
    self.generator = generator
    let connection = LoadConnection(request: ReportRequest(plan: plan), room: 16_384 + plan.batch * 512)
    connections = Array(repeating: connection, count: plan.connections)
  }

  private mutating func run() throws -> LoadResult {
    let start = Self.now
    let end = start + UInt64(plan.seconds) * 1_000_000_000
    var now = start
    var polled = [pollfd](repeating: pollfd(), count: plan.connections)
    for index in connections.indices { try connect(index, at: now) }
    var last = start
    while now < end + Self.drain, connections.contains(where: { $0.socket >= 0 }) {
      for index in connections.indices {
        polled[index].fd = connections[index].socket
        polled[index].events = Int16(POLLIN) | (connections[index].wantsToSend ? Int16(POLLOUT) : 0)
      }
      _ = poll(&polled, nfds_t(polled.count), 100)
      now = Self.now
      for index in polled.indices where polled[index].fd >= 0 && polled[index].revents != 0 {
        switch proceed(index, polled[index].revents) {
        case .nothing: continue
        case .answered(let answer):
          now = Self.now
          last = now
          record(answer, index, at: now)
          if now >= end {
            connections[index].close()
          } else if answer.closes {
            try connect(index, at: now)
          } else {
            try begin(index, at: now)
          }
        case .broken:
          result.broken += 1
          connections[index].close()
          if now < end { try connect(index, at: now) }
        }
      }
    }
    result.broken += connections.count { $0.socket >= 0 }
    for index in connections.indices { connections[index].close() }
    result.seconds = Double(last - start) / 1e9
    return result
  }

  private mutating func proceed(_ index: Int, _ events: Int16) -> LoadConnection.Event {
    connections[index].proceed(
      readable: events & Int16(POLLIN | POLLHUP | POLLERR) != 0, writable: events & Int16(POLLOUT) != 0)
  }

  private mutating func connect(_ index: Int, at time: UInt64) throws {
    guard result.broken <= 1_000 + result.requests / 100, connections[index].open(plan.target) else {
      throw CommandFailure.failed(
        result.requests == 0
          ? "No server answers at \(plan.target.authority). Start it first."
          : "The server closed \(result.broken) connections early; the measurement was ended.")
    }
    try begin(index, at: time)
  }

  private mutating func begin(_ index: Int, at now: UInt64) throws {
    let second = Int(Foundation.time(nil))
    if second != time.second { time = (second, Array(Timestamp.format(second).utf8)) }
    connections[index].request.fill(from: &generator, time: time.text)
    // A connection that breaks here is found by the next poll.
    _ = connections[index].begin(at: now)
  }

  private mutating func record(_ answer: HTTPResponse, _ index: Int, at now: UInt64) {
    result.statuses[answer.status, default: 0] += 1
    result.latency.record((now - connections[index].began) / 1_000)
    if plan.batch == 1 {
      if answer.status == 201 { result.accepted += 1 }
    } else if (200...299).contains(answer.status) {
      result.accepted += connections[index].withBytes(answer.body) { HTTPResponse.count(of: "\"created\"", in: $0) }
    }
  }

  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}
