import Curation
import TestSupport
import Testing

@Suite struct BrigadeDetectionTests {
  private let known = BrigadeBaseline(established: 1_000)

  /// Complaints of established reporters from everywhere, over ten days, by default.
  private func votes(
    _ count: Int, from first: Int = 0, toxic: Bool = true, new: Bool = false, age: Int32? = nil, network: UInt64? = nil,
    text: UInt64? = nil
  ) -> [ReporterVote] {
    (first..<first + count).map { index in
      ReporterVote(
        reporter: Reporter(Array("reporter \(index)       ".utf8.prefix(16))), isToxic: toxic, isNew: new,
        age: age ?? Int32(index % 10), network: network ?? UInt64(1_000 + index), text: text)
    }
  }

  private func rule(_ votes: [ReporterVote], _ background: BrigadeBaseline? = nil) -> HoldReason.Code? {
    BrigadeDetection.judge(votes, background: background ?? known)?.reason.code
  }

  @Test func honestComplaintsAreNotHeld() {
    #expect(rule([]) == nil)
    #expect(rule(votes(4, new: true)) == nil)
    #expect(rule(votes(40)) == nil)
    #expect(rule(votes(8) + votes(12, from: 100, new: true)) == nil)
    #expect(rule(votes(15) + votes(4, from: 100, network: 7) + votes(4, from: 200, text: 9)) == nil)
    #expect(rule(votes(15) + votes(4, from: 100, toxic: false)) == nil)
  }

  @Test func eachKindOfBurstIsHeldByItsRule() {
    #expect(rule(votes(2) + votes(20, from: 100, new: true)) == .newReporters)
    #expect(rule(votes(2) + votes(20, from: 100, network: 7)) == .oneNetwork)
    #expect(rule(votes(2) + votes(20, from: 100, text: 7)) == .oneText)
    #expect(rule(votes(2, age: 3) + votes(25, from: 100, age: 0)) == .oneDay)
    #expect(rule(votes(7) + votes(6, from: 100, toxic: false)) == .split)
  }

  @Test func aBurstIsWholeAlsoWhereItIsOfManyKinds() throws {
    // Five networks of four each, and texts in threes: no part is large.
    let parts = (0..<5).flatMap { votes(4, from: $0 * 100, network: UInt64($0)) }
    let texts = (0..<3).flatMap { votes(3, from: 1_000 + $0 * 100, text: UInt64($0)) }
    let finding = try #require(BrigadeDetection.judge(parts + texts + votes(2, from: 5_000), background: known))
    #expect(finding.reporters.count == 29)
    #expect(
      finding.reason == .oneNetwork(HoldReason.Marks(reporters: 31, new: 0, sameNetwork: 20, sameText: 9, others: 2)))
  }

  @Test func aNumberWithAPastIsNotHeldForABurst() {
    #expect(rule(votes(6, age: 60) + votes(20, from: 100, new: true)) == nil)
    #expect(rule(votes(6, age: 60) + votes(40, from: 100, age: 0)) == nil)
  }

  @Test func threeOthersDoNotCoverTwoHundred() {
    #expect(rule(votes(3) + votes(200, from: 100, new: true)) == .newReporters)
    #expect(rule(votes(60) + votes(200, from: 100, new: true)) == nil)
  }

  @Test func whatIsUsualIsHeldAgainstNobody() {
    let proxied = votes(20, network: 7)
    var background = known
    for index in 0..<60 { background.add(votes(8, network: index < 30 ? 7 : nil)) }
    #expect(background.isCommon(network: 7))
    #expect(rule(proxied, background) == nil)
    var few = known
    for index in 0..<60 { few.add(votes(8, network: index < 10 ? 7 : nil)) }
    #expect(rule(proxied, few) == .oneNetwork)
    // With few numbers no feature is common.
    var first = known
    for _ in 0..<5 { first.add(proxied) }
    #expect(rule(proxied, first) == .oneNetwork)
  }

  @Test func whatAnAppSendsAllAtOnceIsNoBurst() {
    var background = known
    for index in 0..<40 { background.add(votes(25, age: index < 20 ? 0 : nil)) }
    #expect(rule(votes(25, age: 0), background) == nil)
    var few = known
    for index in 0..<40 { few.add(votes(25, age: index < 10 ? 0 : nil)) }
    #expect(rule(votes(25, age: 0), few) == .oneDay)
  }

  @Test func whereEverybodyIsNewNobodyIsSuspectForIt() {
    #expect(rule(votes(20, new: true), BrigadeBaseline(established: 49)) == nil)
    var background = known
    for index in 0..<40 { background.add(votes(8, new: index < 30)) }
    #expect(rule(votes(20, new: true), background) == nil)
  }

  /// More honest votes never make a number suspect, and more suspect ones never clear it.
  @Test func judgementIsMonotone() {
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

  @Test func aTextIsTheSameInOtherWriting() {
    let key = CommentKey.key(of: "They said: my car's warranty!!")
    #expect(key != nil)
    #expect(CommentKey.key(of: "they said my CARS warranty") == key)
    #expect(CommentKey.key(of: "they said my van's warranty") != key)
    #expect(CommentKey.key(of: "Spam call!") == nil)
    #expect(CommentKey.key(of: nil) == nil)
    #expect(
      CommentKey.key(of: "Звонили из банка и просили код") == CommentKey.key(of: "звонили из банка, и просили код."))
  }

  @Test func aReporterIsItsBytes() {
    let bytes = (0..<16).map { UInt8($0 * 16 + 1) }
    #expect(Reporter(bytes).bytes == bytes)
    #expect(Reporter([1] + bytes.dropFirst()) < Reporter([2] + bytes.dropFirst()))
  }
}
