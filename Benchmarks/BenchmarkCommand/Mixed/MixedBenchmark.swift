// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Foundation
import RingfenceCommand

/// The phases of a mixed load, one after another.
struct MixedBenchmark {
  let plan: LoadPlan
  /// Connections by role.
  let connections: [MixedRole: Int]
  /// Tokens of sign-in links, one for each moderator.
  let tokens: [String]
  let serverPID: Int32?
  /// The multiple of the capacity; nil measures the capacity only.
  let overload: Double?
  let overloadSeconds: Double
  /// Connections of the overload for each of the measurement. A request that finds none free is not sent, so too few of
  /// them limit the overload.
  let connectionFactor: Int

  /// Seconds after which a recovery has failed.
  private static let recoveryLimit = 120.0

  /// - Throws: ``CommandFailure`` if no server answers or no request gets an expected response.
  func run(say: (String) -> Void) async throws {
    let fixture = try MixedFixture(of: plan.target)
    if fixture.packs.isEmpty { say("Nothing is published: downloads request the manifest only.") }
    let clients = try clients(fixture, times: overload == nil ? 1 : connectionFactor)
    // Unsafe: one thread at a time uses it, and its end is awaited.
    nonisolated(unsafe) let driver = MixedDriver(target: plan.target, clients: clients, serverPID: serverPID)
    defer { driver.close() }
    let closed = try await runOnThread {
      try driver.run(.init(name: "As fast as answers come", seconds: Double(plan.seconds)))
    }
    say(closed.table)
    guard closed.kinds.values.contains(where: { $0.fine > 0 }) else {
      throw CommandFailure.failed("No request was answered as expected.")
    }
    guard let overload else { return }
    let capacity = Dictionary(uniqueKeysWithValues: MixedRole.allCases.map { ($0, closed.rate($0)) })
    func phase(_ name: String, _ seconds: Double, _ factor: Double, endsAtP99: Double? = nil) async throws
      -> MixedResult
    {
      let rates = capacity.mapValues { $0 * factor }
      let result = try await runOnThread {
        try driver.run(.init(name: name, seconds: seconds, rates: rates, endsAtP99: endsAtP99))
      }
      say("\n" + result.table)
      return result
    }
    let calm = try await phase("Half of that", Double(plan.seconds), 0.5)
    let over = try await phase("\(TextFormat.oneDigit(overload)) times that", overloadSeconds, overload)
    // Some tolerance, because a percentile of a few seconds varies.
    let normal = max(calm.overallP99 * 2, calm.overallP99 + 10)
    let after = try await phase("Half of that again", Self.recoveryLimit, 0.5, endsAtP99: normal)
    say("\n" + verdict(calm, over, after, normal))
  }

  private func verdict(_ calm: MixedResult, _ over: MixedResult, _ after: MixedResult, _ normal: Double) -> String {
    let bad = after.p99.lastIndex { $0.map { $0 > normal } ?? true }
    let broken = over.kinds.values.reduce(0) { $0 + $1.broken }
    let wrong = over.kinds.values.reduce(0) { $0 + $1.wrong.values.reduce(0, +) }
    let refused = over.kinds.values.reduce(0) { $0 + $1.refused }
    let recovery =
      after.seconds < Self.recoveryLimit
      ? "The 99th percentile was normal again (\(TextFormat.oneDigit(normal)) ms or less) "
        + "\((bad ?? -1) + 1) s after the overload."
      : "The 99th percentile was not normal again within \(Int(Self.recoveryLimit)) s."
    return "Overload: \(TextFormat.grouped(refused)) answered 503, \(wrong) with another status, \(broken) broken. "
      + "\(recovery)\nLoad of the machine now: \(TextFormat.oneDigit(LoadAverage.now))."
  }

  /// - Parameter times: clients for each connection; the first of them take part in every phase.
  private func clients(_ fixture: MixedFixture, times: Int) throws -> [MixedClient] {
    var clients: [MixedClient] = []
    let generator = try ReportGenerator(seed: plan.seed)
    for role in MixedRole.allCases {
      // A moderator has one browser.
      let count = role == .moderator ? tokens.count : (connections[role] ?? 0) * times
      for index in 0..<count {
        let seed = plan.seed &* 1_000_003 &+ UInt64(role.rawValue * 100_000 + index)
        clients.append(
          MixedClient(
            role, isExtra: role != .moderator && index >= connections[role] ?? 0, plan: plan, fixture: fixture,
            generator: generator,
            seed: seed, token: role == .moderator ? tokens[index] : nil))
      }
    }
    return clients
  }
}
