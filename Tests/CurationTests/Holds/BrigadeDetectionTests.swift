// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Curation

@Suite struct BrigadeDetectionTests {
  private let known = BrigadeBaseline()

  /// Complaints of long-established reporters from everywhere, over ten days, by default.
  private func votes(
    _ count: Int, from first: Int = 0, toxic: Bool = true, new: Bool = false, age: Int32? = nil, network: UInt64? = nil,
    text: UInt64? = nil
  ) -> [ReporterVote] {
    var votes: [ReporterVote] = []
    for index in first..<first + count {
      let reporter = Reporter(Array("reporter \(index)       ".utf8.prefix(16)))
      let network = network ?? UInt64(1_000 + index)
      votes.append(
        ReporterVote(
          reporter: reporter, isToxic: toxic, isNew: new, age: age ?? Int32(index % 10), network: network, text: text,
          isLongEstablished: !new))
    }
    return votes
  }

  private func rule(_ votes: [ReporterVote], _ background: BrigadeBaseline? = nil) -> HoldReason.Code? {
    BrigadeDetection.evaluate(votes, in: .init(background: background ?? known)).finding?.reason.code
  }

  @Test func `honest complaints are not held`() {
    #expect(rule([]) == nil)
    #expect(rule(votes(3) + votes(4, from: 100, new: true)) == nil)
    #expect(rule(votes(40)) == nil)
    #expect(rule(votes(8) + votes(12, from: 100, new: true)) == nil)
    #expect(rule(votes(15) + votes(4, from: 100, network: 7) + votes(4, from: 200, text: 9)) == nil)
    #expect(rule(votes(15) + votes(4, from: 100, toxic: false)) == nil)
  }

  @Test func `each kind of burst is held by its rule`() {
    #expect(rule(votes(2) + votes(20, from: 100, new: true)) == .newReporters)
    #expect(rule(votes(2) + votes(20, from: 100, network: 7)) == .oneNetwork)
    #expect(rule(votes(2) + votes(20, from: 100, text: 7)) == .oneText)
    #expect(rule(votes(2, age: 3) + votes(25, from: 100, age: 0)) == .oneDay)
    #expect(rule(votes(7) + votes(6, from: 100, toxic: false)) == .split)
  }

  @Test func `a burst is complete even if it consists of several kinds`() throws {
    // Five networks of four each, and texts in threes: no part is large.
    let parts = (0..<5).flatMap { votes(4, from: $0 * 100, network: UInt64($0)) }
    let texts = (0..<3).flatMap { votes(3, from: 1_000 + $0 * 100, text: UInt64($0)) }
    let finding = try #require(
      BrigadeDetection.evaluate(parts + texts + votes(2, from: 5_000), in: .init(background: known)).finding)
    #expect(finding.reporters.count == 29)
    #expect(
      finding.reason
        == .oneNetwork(
          HoldReason.Marks(reporters: 31, new: 0, sameNetwork: 20, sameText: 9, independent: 10, others: 2)))
  }

  @Test func `independent newcomers identify a number, and dependent ones do not`() {
    func ceiling(_ votes: [ReporterVote], _ circumstances: BrigadeDetection.Circumstances = .init()) -> SourceCeiling? {
      BrigadeDetection.evaluate(votes, in: circumstances).finding?.ceiling
    }
    #expect(ceiling(votes(3, new: true)) == .identify)
    #expect(ceiling(votes(2, new: true)) == .nothing)
    #expect(ceiling(votes(2, new: true) + votes(1, from: 102)) == .identify)
    // Two of one network are one, and three on two days are too few.
    #expect(ceiling(votes(2, new: true) + votes(2, from: 102, new: true, network: 7)) == .identify)
    #expect(ceiling(votes(2, new: true) + votes(1, from: 101)) == .nothing)
    // The rest of a carrier's network does not take the label away.
    #expect(ceiling(votes(4, new: true) + votes(5, from: 100, new: true, network: 7)) == .identify)
    // Newcomers before the window count as one, and a burst on one day is no label.
    #expect(ceiling(votes(20, new: true, age: 40) + votes(1, new: true)) == .nothing)
    #expect(ceiling(votes(20, from: 100, new: true, age: 0) + votes(2, from: 1, new: true)) == .nothing)
    #expect(ceiling(votes(1, new: true) + votes(3, from: 100, new: true, network: 7)) == .nothing)
    #expect(ceiling(votes(1, new: true) + votes(2, from: 100, new: true, text: 7)) == .nothing)
    // A source that names the number too needs two.
    let corroborated = BrigadeDetection.Circumstances(isCorroborated: true)
    #expect(ceiling(votes(2, new: true), corroborated) == .identify)
    #expect(ceiling(votes(2, new: true, network: 7), corroborated) == .nothing)
    // A mark may be allowed to identify.
    var lenient = IdentifyRule()
    lenient.identifiedMarks = [.newReporters, .oneNetwork]
    #expect(ceiling(votes(9, new: true, network: 7), .init(rule: lenient)) == .identify)
  }

  @Test func `accounts that waited together block only after a week`() {
    func waited(_ count: Int, over days: Int32) -> [ReporterVote] {
      votes(count).enumerated().map { index, vote in
        var vote = vote
        (vote.isLongEstablished, vote.age) = (false, index == 0 ? days : Int32(index - 1) % max(1, days))
        return vote
      }
    }
    #expect(rule(waited(6, over: 6)) == .oneWeek)
    #expect(BrigadeDetection.evaluate(waited(6, over: 6), in: .init()).finding?.ceiling == .identify)
    #expect(rule(waited(6, over: 7)) == nil)
    #expect(rule(waited(6, over: 6) + votes(2, from: 100)) == .oneWeek)
    #expect(rule(waited(6, over: 6) + votes(3, from: 100)) == nil)
    // The app is known, although no reporter is suspect.
    var sent = waited(6, over: 6)
    for index in sent.indices { sent[index].appID = 7 }
    #expect(BrigadeDetection.evaluate(sent, in: .init()).finding?.appID == 7)
    // Newcomers of earlier months confirm nobody.
    #expect(rule(votes(30, new: true, age: 40) + votes(3, from: 100, new: true)) == .newReporters)
  }

  @Test func `accounts that share their targets are one`() {
    let brigade = votes(8, new: true).map(\.reporter)
    let people = votes(8, from: 100, new: true).map(\.reporter)
    var overlap = TargetOverlap()
    for number in 1...4 { overlap.add(Int64(number), brigade) }
    // People share one number, and each reports others of their own.
    overlap.add(10, people)
    for (index, person) in people.enumerated() { overlap.add(Int64(100 + index), [person]) }
    overlap.finish()
    var circumstances = BrigadeDetection.Circumstances(overlap: overlap)
    // The number that all these people report.
    circumstances.number = 10
    let shared = BrigadeDetection.evaluate(votes(8, new: true), in: circumstances).finding
    #expect(shared?.reason.code == .sameNumbers && shared?.ceiling == .nothing)
    let separate = BrigadeDetection.evaluate(votes(8, from: 100, new: true), in: circumstances).finding
    #expect(separate?.reason.code == .newReporters && separate?.ceiling == .identify)
    func independent(_ votes: [ReporterVote]) -> Int {
      Independence(VoteSummary(votes, in: circumstances), background: known).count
    }
    #expect(independent(votes(8, new: true)) == 1)
    #expect(independent(votes(8, from: 100, new: true)) == 8)
    // To be new is no offense: only connected reporters are remembered.
    #expect(shared?.reporters.count == 8 && separate?.reporters.isEmpty == true)
  }

  @Test func `two who have reported for long depend on each other only if most of their numbers are the same`() {
    func overlap(shared: Int, own: Int) -> TargetOverlap {
      var overlap = TargetOverlap()
      let pair = votes(2).map(\.reporter)
      for number in 0..<shared { overlap.add(Int64(1_000 + number), pair) }
      for (index, reporter) in pair.enumerated() {
        for number in 0..<own { overlap.add(Int64(10_000 * (index + 1) + number), [reporter]) }
      }
      overlap.finish()
      return overlap
    }
    func rule(_ overlap: TargetOverlap) -> HoldReason.Code? {
      let votes = votes(2) + votes(2, from: 100, new: true)
      return BrigadeDetection.evaluate(votes, in: .init(overlap: overlap)).finding?.reason.code
    }
    // Two old accounts and two new ones, which block any target otherwise.
    #expect(rule(overlap(shared: 40, own: 2)) == .sameNumbers)
    #expect(rule(overlap(shared: 4, own: 0)) != .sameNumbers)
    #expect(rule(overlap(shared: 12, own: 40)) != .sameNumbers)
    // More numbers than are kept: the same ones of each.
    #expect(rule(overlap(shared: 2_000, own: 300)) == .sameNumbers)
  }

  @Test func `a number with an older history is not held for a burst`() {
    #expect(rule(votes(6, age: 60) + votes(20, from: 100, new: true)) == nil)
    #expect(rule(votes(6, age: 60) + votes(40, from: 100, age: 0)) == nil)
  }

  @Test func `three other votes do not balance a burst of two hundred`() {
    #expect(rule(votes(3) + votes(200, from: 100, new: true)) == .newReporters)
    #expect(rule(votes(60) + votes(200, from: 100, new: true)) == nil)
  }

  /// A baseline from numbers confirmed five days ago, each with the given votes.
  private func usual(_ numbers: Int, of all: Int, confirmedAge: Int32 = 5, like: (Int) -> [ReporterVote])
    -> BrigadeBaseline
  {
    var background = known
    for index in 0..<all {
      let own = like(index)
      background.add(
        index < numbers ? own : votes(own.count, new: own.contains(where: \.isNew)).map(late),
        confirmedAge: confirmedAge)
    }
    return background
  }

  private func late(_ vote: ReporterVote) -> ReporterVote {
    var vote = vote
    vote.age = 10 + vote.age
    return vote
  }

  @Test func `a usual network or text does not cause a hold`() {
    let proxied = votes(20, network: 7), proposed = votes(20, text: 7)
    let network = usual(30, of: 60) { _ in votes(8, age: 12, network: 7) }
    #expect(network.isUsual(network: 7))
    #expect(
      BrigadeDetection.evaluate(proxied, in: .init(background: network))
        == .usual(UsualBurst(.oneNetwork, alike: 20, reporters: 20, share: .init(count: 30, numbers: 60))))
    let text = usual(30, of: 60) { _ in votes(8, age: 12, text: 7) }
    #expect(
      BrigadeDetection.evaluate(proposed, in: .init(background: text))
        == .usual(UsualBurst(.oneText, alike: 20, reporters: 20, share: .init(count: 30, numbers: 60))))
    // Too few of them, and too few to say what is usual.
    #expect(rule(proxied, usual(10, of: 60) { _ in votes(8, age: 12, network: 7) }) == .oneNetwork)
    #expect(rule(proxied, usual(19, of: 19) { _ in votes(8, age: 12, network: 7) }) == .oneNetwork)
    #expect(BrigadeDetection.evaluate(votes(20), in: .init(background: network)) == .clear)
  }

  @Test func `a burst is usual for an app that sends everything at once`() {
    let burst = votes(25, age: 0)
    #expect(
      BrigadeDetection.evaluate(burst, in: .init(background: usual(20, of: 40) { _ in votes(25, age: 12) }))
        == .usual(UsualBurst(.oneDay, alike: 25, reporters: 25, share: .init(count: 20, numbers: 40))))
    #expect(rule(burst, usual(10, of: 40) { _ in votes(25, age: 12) }) == .oneDay)
  }

  /// Three ways in which a brigade would make its own habits usual.
  @Test(arguments: [(7, false, 0), (12, true, 5), (12, false, 12)] as [(Int32, Bool, Int32)])
  func `only a history that a brigade cannot create counts as usual`(age: Int32, isNew: Bool, confirmedAge: Int32) {
    func like(_ index: Int) -> [ReporterVote] {
      votes(200, from: 1_000, new: isNew, age: age, network: 7, text: 7) + votes(12).map(late)
    }
    let background = usual(60, of: 60, confirmedAge: confirmedAge, like: like)
    #expect(!background.isOneDayUsual && !background.isUsual(network: 7) && !background.isUsual(text: 7))
  }

  @Test func `new reporters are suspect even where all reporters are new`() {
    #expect(rule(votes(20, new: true)) == .newReporters)
    #expect(rule(votes(20, new: true), usual(60, of: 60) { _ in votes(20, new: true, age: 12) }) == .newReporters)
  }

  /// More honest votes never make a number suspect, and more suspect ones never clear it.
  @Test func `additional honest votes never hold a number and suspect votes never clear one`() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<2_000 {
      let honest = votes(Int.random(in: 0..<12, using: &generator))
      let burst = votes(
        Int.random(in: 0..<30, using: &generator), from: 100, new: Bool.random(using: &generator),
        network: Bool.random(using: &generator) ? 7 : nil)
      let isHeld = [.newReporters, .oneNetwork].contains(rule(honest + burst))
      if isHeld {
        #expect(rule(honest + burst + votes(3, from: 900, new: true)) != nil)
      } else {
        #expect(![.newReporters, .oneNetwork].contains(rule(honest + burst + votes(3, from: 900, age: 20))))
      }
    }
  }

  @Test func `comments that differ in case or punctuation have the same key`() {
    let key = CommentKey.key(of: "They said: my car's warranty!!")
    #expect(key != nil)
    #expect(CommentKey.key(of: "they said my CARS warranty") == key)
    #expect(CommentKey.key(of: "they said my van's warranty") != key)
    #expect(CommentKey.key(of: "Spam call!") == nil)
    #expect(CommentKey.key(of: nil) == nil)
    #expect(
      CommentKey.key(of: "Звонили из банка и просили код") == CommentKey.key(of: "звонили из банка, и просили код."))
  }

  @Test func `a reporter keeps its bytes and orders by them`() {
    let bytes = (0..<16).map { UInt8($0 * 16 + 1) }
    #expect(Reporter(bytes).bytes == bytes)
    #expect(Reporter([1] + bytes.dropFirst()) < Reporter([2] + bytes.dropFirst()))
  }
}
