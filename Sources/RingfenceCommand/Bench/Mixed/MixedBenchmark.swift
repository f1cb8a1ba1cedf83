import Foundation
import Importing

/// The phases of a mixed load, one after another.
struct MixedBenchmark {
  let plan: LoadPlan
  /// Connections by role.
  let crowd: [MixedRole: Int]
  /// Tokens of links, one a moderator.
  let tokens: [String]
  let serverPID: Int32?
  /// How many times the measured capacity; nil measures it only.
  let overload: Double?
  let overloadSeconds: Double
  /// Connections of an overload for each of the measurement. Requests that find none free are not sent, so the fewer there
  /// are the less of an overload it is.
  let crowding: Int

  /// The most seconds that a recovery is waited for.
  private static let patience = 120.0

  /// - Throws: ``CommandFailure`` when nobody answers, or nothing is answered as asked.
  func run(say: (String) -> Void) async throws {
    let world = try await MixedWorld.look(at: plan.target)
    if world.packs.isEmpty { say("Nothing is published: downloads ask for the manifest alone.") }
    let clients = try clients(world, times: overload == nil ? 1 : crowding)
    let driver = MixedDriver(target: plan.target, clients: clients, serverPID: serverPID)
    defer { driver.close() }
    let closed = try await Self.on("load") {
      try driver.run(.init(name: "As fast as answers come", seconds: Double(plan.seconds)))
    }
    say(closed.table)
    guard closed.kinds.values.contains(where: { $0.fine > 0 }) else {
      throw CommandFailure.failed("Nothing was answered as asked.")
    }
    guard let overload else { return }
    let capacity = Dictionary(uniqueKeysWithValues: MixedRole.allCases.map { ($0, closed.rate($0)) })
    func phase(_ name: String, _ seconds: Double, _ factor: Double, endsAtP99: Double? = nil) async throws
      -> MixedResult
    {
      let rates = capacity.mapValues { $0 * factor }
      let result = try await Self.on("load") {
        try driver.run(.init(name: name, seconds: seconds, rates: rates, endsAtP99: endsAtP99))
      }
      say("\n" + result.table)
      return result
    }
    let calm = try await phase("Half of that", Double(plan.seconds), 0.5)
    let over = try await phase("\(Figures.oneDigit(overload)) times that", overloadSeconds, overload)
    // Normal is what it was, and a little for chance.
    let normal = max(calm.overallP99 * 2, calm.overallP99 + 10)
    let after = try await phase("Half of that again", Self.patience, 0.5, endsAtP99: normal)
    say("\n" + verdict(calm, over, after, normal))
  }

  private func verdict(_ calm: MixedResult, _ over: MixedResult, _ after: MixedResult, _ normal: Double) -> String {
    let bad = after.p99.lastIndex { $0.map { $0 > normal } ?? true }
    let broken = over.kinds.values.reduce(0) { $0 + $1.broken }
    let wrong = over.kinds.values.reduce(0) { $0 + $1.wrong.values.reduce(0, +) }
    let refused = over.kinds.values.reduce(0) { $0 + $1.refused }
    let recovery =
      after.seconds < Self.patience
      ? "The 99th percentile was normal again (\(Figures.oneDigit(normal)) ms or less) "
        + "\((bad ?? -1) + 1) s after the overload."
      : "The 99th percentile was not normal again within \(Int(Self.patience)) s."
    return "Overload: \(Figures.grouped(refused)) answered 503, \(wrong) with another status, \(broken) broken. "
      + "\(recovery)\nLoad of the machine now: \(Figures.oneDigit(LoadAverage.now))."
  }

  /// - Parameter times: how many there are, the first of which take part in every phase.
  private func clients(_ world: MixedWorld, times: Int) throws -> [MixedClient] {
    var clients: [MixedClient] = []
    let draw = try ComplaintDraw(seed: plan.seed)
    for role in MixedRole.allCases {
      // A moderator has one browser.
      let count = role == .moderator ? tokens.count : (crowd[role] ?? 0) * times
      for index in 0..<count {
        let seed = plan.seed &* 1_000_003 &+ UInt64(role.rawValue * 100_000 + index)
        clients.append(
          MixedClient(
            role, isExtra: role != .moderator && index >= crowd[role] ?? 0, plan: plan, world: world, draw: draw,
            seed: seed, token: role == .moderator ? tokens[index] : nil))
      }
    }
    return clients
  }

  /// Runs something that blocks on a thread of its own.
  private static func on<Result: Sendable>(
    _ name: String, _ work: @escaping () throws -> Result
  ) async throws -> Result {
    let work = Blocking(work: work)
    return try await withCheckedThrowingContinuation { continuation in
      let thread = Thread { continuation.resume(with: Swift.Result { try work.work() }) }
      thread.name = name
      thread.start()
    }
  }

  /// Handed to one thread, and waited for.
  private struct Blocking<Result>: @unchecked Sendable {
    let work: () throws -> Result
  }
}
