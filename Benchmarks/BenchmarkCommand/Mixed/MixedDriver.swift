// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Histogram
import RingfenceCommand

/// Runs all clients on one thread.
final class MixedDriver {
  /// One phase of the load.
  struct Phase {
    let name: String
    let seconds: Double
    /// Requests per second by role; nil sends the next request after each response.
    var rates: [MixedRole: Double]?
    /// Ends the phase before its time once the p99 of three seconds in a row, in milliseconds, is no more than this.
    var endsAtP99: Double?
  }

  private let target: LoadTarget
  private let serverPID: Int32?
  private var clients: [MixedClient]
  private var connections: [MixedConnection]
  private var result = MixedResult(name: "")
  private var window = MixedResult.histogram
  private var scratch = [UInt8](repeating: 0, count: 256 << 10)
  private var open = 0
  private var failures = 0

  init(target: LoadTarget, clients: [MixedClient], serverPID: Int32?) {
    self.target = target
    self.clients = clients
    self.serverPID = serverPID
    connections = Array(repeating: MixedConnection(), count: clients.count)
    // Each connection needs a file descriptor.
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = min(limit.rlim_max, rlim_t(clients.count + 256))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Runs a phase; requests without an answer at its end are dropped.
  /// - Throws: ``CommandFailure`` when no server answers.
  func run(_ phase: Phase) throws -> MixedResult {
    result = MixedResult(name: phase.name)
    window.reset()
    failures = 0
    let start = Self.now
    var tick = start
    var due: [MixedRole: Double] = [:]
    var last = start
    // Busy connections of the phase before would count against this one, and idle ones of an overload cost both sides
    // time.
    for index in connections.indices where connections[index].isBusy || clients[index].isExtra {
      connections[index].close()
    }
    while true {
      let now = Self.now
      if Double(now - start) / 1e9 >= phase.seconds { break }
      if now - tick >= 1_000_000_000 {
        tick += 1_000_000_000
        endSecond(at: Double(now - start) / 1e9)
        if let bound = phase.endsAtP99, result.p99.count >= 3,
          result.p99.suffix(3).allSatisfy({ $0.map { $0 <= bound } ?? false })
        {
          break
        }
      }
      startDue(phase, &due, elapsed: Double(now - last) / 1e9, at: now)
      last = now
      try pollOnce(milliseconds: phase.rates == nil ? 100 : 1)
    }
    result.seconds = Double(Self.now - start) / 1e9
    return result
  }

  func close() {
    for index in connections.indices { connections[index].close() }
  }

  /// Starts the requests that are due.
  private func startDue(_ phase: Phase, _ due: inout [MixedRole: Double], elapsed: Double, at now: UInt64) {
    guard let rates = phase.rates else {
      for index in connections.indices where !connections[index].isBusy && !clients[index].isExtra {
        begin(index, at: now)
      }
      return
    }
    for (role, rate) in rates { due[role, default: 0] += rate * elapsed }
    for index in connections.indices where !connections[index].isBusy {
      let role = clients[index].role
      if let waiting = due[role], waiting >= 1 {
        due[role] = waiting - 1
        begin(index, at: now)
      }
    }
    // A client that finds no free connection sends nothing.
    for (role, waiting) in due where waiting >= 1 {
      result.shed[role, default: 0] += Int(waiting)
      due[role] = waiting - waiting.rounded(.down)
    }
  }

  private func begin(_ index: Int, at now: UInt64) {
    if connections[index].socket < 0, !connections[index].open(target) {
      failures += 1
      return
    }
    let request = clients[index].next(at: Int(Foundation.time(nil)))
    if request.isEmpty { return }
    connections[index].begin(request, at: now)
  }

  private func pollOnce(milliseconds: Int32) throws {
    var polled: [pollfd] = []
    var places: [Int] = []
    for index in connections.indices where connections[index].socket >= 0 {
      polled.append(
        pollfd(
          fd: connections[index].socket,
          events: Int16(POLLIN) | (connections[index].wantsToSend ? Int16(POLLOUT) : 0), revents: 0))
      places.append(index)
    }
    guard poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return }
    for (place, entry) in polled.enumerated() where entry.revents != 0 {
      proceed(places[place], entry.revents)
    }
    if failures > 1_000, result.kinds.values.allSatisfy({ $0.fine == 0 }) {
      throw CommandFailure.failed("No server answers at \(target.authority). Start it first.")
    }
  }

  private func proceed(_ index: Int, _ events: Int16) {
    let wasBusy = connections[index].isBusy
    let event = connections[index].proceed(
      readable: events & Int16(POLLIN | POLLHUP | POLLERR) != 0, writable: events & Int16(POLLOUT) != 0,
      scratch: &scratch)
    switch event {
    case .nothing: return
    case .answered(let status, let closes):
      record(index, status)
      clients[index].take(status: status, connections[index])
      if closes { connections[index].close() }
    case .broken:
      connections[index].close()
      // An idle connection may be closed at any time.
      guard wasBusy else { return }
      failures += 1
      result.kinds[clients[index].kind, default: .init()].broken += 1
    }
  }

  private func record(_ index: Int, _ status: Int) {
    let micros = (Self.now - connections[index].began) / 1_000
    let kind = clients[index].kind
    if kind.isFine(status) { window.record(micros) }
    let bytes = connections[index].received
    Self.add(status, micros, bytes, kind, to: &result.kinds[kind, default: .init()])
  }

  private static func add(
    _ status: Int, _ micros: UInt64, _ bytes: Int, _ kind: MixedRequestKind, to answers: inout MixedResult.Answers
  ) {
    answers.bytes += bytes
    if kind.isFine(status) {
      answers.fine += 1
      answers.latency.record(micros)
    } else if status == 503 {
      answers.refused += 1
      answers.refusal.record(micros)
    } else {
      answers.wrong[status, default: 0] += 1
    }
  }

  private func endSecond(at seconds: Double) {
    result.p99.append(window.totalCount == 0 ? nil : Double(window.valueAtPercentile(99)) / 1_000)
    window.reset()
    if let serverPID, let memory = ProcessMemory(pid: serverPID) { result.memory.append((seconds, memory.resident)) }
  }

  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}
