// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import Intake
@testable import Storage

@Suite struct AppTrafficTests {
  @Test func `reports a second are those of the last minute, and refusals are counted by reason`() {
    let time = Mutex(1_000)
    let traffic = AppTraffic(clock: { time.withLock { $0 } })
    let (app, other) = (App(id: 1, name: "One"), App(id: 2, name: "Two"))
    // At 1,000 s 30 reports, at 1,059 s 60: 1.5 per second on average, then 1, then none.
    for _ in 0..<30 { traffic.note(.success(.created), of: app) }
    time.withLock { $0 = 1_059 }
    for _ in 0..<60 { traffic.note(.success(.created), of: app) }
    traffic.note(.success(.duplicate), of: app)
    var rates: [Double] = []
    for moment in [1_059, 1_060, 1_118, 1_119, 9_000] {
      time.withLock { $0 = moment }
      rates.append(traffic.figures(ofApp: 1).perSecond)
    }
    #expect(rates == [1.5, 1, 1, 0, 0])
    traffic.refuse("rate_limit", of: app, count: 3)
    traffic.note(.success(.conflict), of: app)
    traffic.note(.failure(IntakeError.full), of: app)
    traffic.note(.failure(InvalidSubmission(problems: [.before(retention: .distantPast)])), of: app)
    let refused = traffic.figures(ofApp: 1).refused.map { "\($0.reason) \($0.count)" }
    #expect(refused.first == "rate_limit 3" && refused.count == 4)
    #expect(Set(refused.dropFirst().map { $0.suffix(2) }) == [" 1"])
    #expect(traffic.figures(ofApp: other.id) == AppTraffic.Figures())
  }
}
