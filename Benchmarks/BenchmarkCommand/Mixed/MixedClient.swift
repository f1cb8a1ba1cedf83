// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Importing
import Support

/// A client of the mixed load, which chooses the next request by its role.
struct MixedClient {
  let role: MixedRole
  /// Whether it takes part in the overload only.
  let isExtra: Bool
  private let target: LoadTarget
  private let key: String
  private let fixture: MixedFixture
  private var generator: ReportGenerator
  private var random: SplitMix64
  private var report: ReportRequest
  private var moderator: SimulatedModerator?
  private(set) var kind = MixedRequestKind.report

  init(
    _ role: MixedRole, isExtra: Bool, plan: LoadPlan, fixture: MixedFixture, generator: ReportGenerator,
    seed: UInt64, token: String? = nil
  ) {
    self.role = role
    self.isExtra = isExtra
    target = plan.target
    key = plan.key
    self.fixture = fixture
    self.generator = generator.reseeded(seed)
    random = SplitMix64(seed: seed)
    report = ReportRequest(plan: plan)
    moderator = token.map { SimulatedModerator(target: plan.target, token: $0, seed: seed) }
  }

  /// The next request.
  mutating func next(at time: Int) -> [UInt8] {
    switch role {
    case .reporter:
      kind = .report
      report.fill(from: &generator, time: Array(Timestamp.format(time).utf8))
      return report.bytes
    case .lookupClient:
      let number = generator.next().number
      if random.below(2) == 0 {
        kind = .lookup
        return get("/v1/numbers/%2B\(number)", isAuthorized: true)
      }
      kind = .hash
      let hash = SHA256.hash(data: Data("+\(number)".utf8)).prefix(2).map { String(format: "%02x", $0) }.joined()
      return get("/v1/numbers/by-hash/\(hash)", isAuthorized: true)
    case .downloader: return download()
    case .moderator:
      guard let moderator else { return [] }
      let request = moderator.request()
      kind = request.kind
      return request.bytes
    }
  }

  /// Receives the answer.
  mutating func take(status: Int, _ connection: MixedConnection) {
    guard role == .moderator, status != 503 else { return }
    let text = connection.text
    moderator?.take(status: status, head: text.head, body: text.body)
  }

  /// Half of the requests are for files that the client has already; most of the others are for deltas.
  private mutating func download() -> [UInt8] {
    let share = random.below(10)
    if share < 3 || fixture.packs.isEmpty {
      kind = .unchanged
      return get("/v1/manifest.json", tag: fixture.manifestTag)
    }
    let pack = fixture.packs[random.below(fixture.packs.count)]
    if share < 5 {
      kind = .unchanged
      return get("/v1/\(pack.path)", tag: pack.tag)
    }
    if share < 8, !fixture.deltas.isEmpty {
      kind = .delta
      return get("/v1/\(fixture.deltas[random.below(fixture.deltas.count)].path)")
    }
    kind = .pack
    return get("/v1/\(pack.path)")
  }

  private func get(_ path: String, isAuthorized: Bool = false, tag: String? = nil) -> [UInt8] {
    var text = "GET \(path) HTTP/1.1\r\nHost: \(target.authority)\r\n"
    if isAuthorized { text += "Authorization: Bearer \(key)\r\n" }
    if let tag { text += "If-None-Match: \(tag)\r\n" }
    return Array((text + "\r\n").utf8)
  }
}
