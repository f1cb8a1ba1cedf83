import Crypto
import Foundation
import Importing
import Timestamps

/// One of those who ask: what the next request is, by the role.
struct MixedClient {
  let role: MixedRole
  /// Whether it takes part where there is a crowd only.
  let isExtra: Bool
  private let target: LoadTarget
  private let key: String
  private let world: MixedWorld
  private var draw: ComplaintDraw
  private var chance: SplitMix64
  private var report: ReportRequest
  private var walk: ModeratorWalk?
  private(set) var kind = MixedKind.report

  init(
    _ role: MixedRole, isExtra: Bool, plan: LoadPlan, world: MixedWorld, draw: ComplaintDraw, seed: UInt64,
    token: String? = nil
  ) {
    self.role = role
    self.isExtra = isExtra
    target = plan.target
    key = plan.key
    self.world = world
    self.draw = draw.begun(at: seed)
    chance = SplitMix64(seed: seed)
    report = ReportRequest(plan: plan)
    walk = token.map { ModeratorWalk(target: plan.target, token: $0, seed: seed) }
  }

  /// The next request.
  mutating func next(at time: Int) -> [UInt8] {
    switch role {
    case .reporter:
      kind = .report
      report.fill(from: &draw, time: Array(Timestamp.format(time).utf8))
      return report.bytes
    case .looker:
      let number = draw.next().number
      if chance.below(2) == 0 {
        kind = .lookup
        return get("/v1/numbers/%2B\(number)", isOurs: true)
      }
      kind = .hash
      let hash = SHA256.hash(data: Data("+\(number)".utf8)).prefix(2).map { String(format: "%02x", $0) }.joined()
      return get("/v1/numbers/by-hash/\(hash)", isOurs: true)
    case .downloader: return download()
    case .moderator:
      guard let walk else { return [] }
      let request = walk.request()
      kind = request.kind
      return request.bytes
    }
  }

  /// Hears the answer.
  mutating func take(status: Int, _ connection: MixedConnection) {
    guard role == .moderator, status != 503 else { return }
    let text = connection.text
    walk?.take(status: status, head: text.head, body: text.body)
  }

  /// Most phones hold the newest; of the others most take a delta.
  private mutating func download() -> [UInt8] {
    let throwOfDice = chance.below(10)
    if throwOfDice < 3 || world.packs.isEmpty {
      kind = .unchanged
      return get("/v1/manifest.json", tag: world.manifestTag)
    }
    let pack = world.packs[chance.below(world.packs.count)]
    if throwOfDice < 5 {
      kind = .unchanged
      return get("/v1/\(pack.path)", tag: pack.tag)
    }
    if throwOfDice < 8, !world.deltas.isEmpty {
      kind = .delta
      return get("/v1/\(world.deltas[chance.below(world.deltas.count)].path)")
    }
    kind = .pack
    return get("/v1/\(pack.path)")
  }

  private func get(_ path: String, isOurs: Bool = false, tag: String? = nil) -> [UInt8] {
    var text = "GET \(path) HTTP/1.1\r\nHost: \(target.authority)\r\n"
    if isOurs { text += "Authorization: Bearer \(key)\r\n" }
    if let tag { text += "If-None-Match: \(tag)\r\n" }
    return Array((text + "\r\n").utf8)
  }
}
