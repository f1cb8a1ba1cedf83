import Curation
import TestSupport
import Testing

@Suite struct BrigadingTests {
  private let known = BrigadingBackground(established: 1_000)

  /// Complaints of established reporters from everywhere, over ten days, unless said otherwise.
  private func voices(
    _ count: Int, from first: Int = 0, toxic: Bool = true, new: Bool = false, age: Int32? = nil, network: UInt64? = nil,
    text: UInt64? = nil
  ) -> [Voice] {
    (first..<first + count).map { index in
      Voice(
        reporter: Reporter(Array("reporter \(index)       ".utf8.prefix(16))), isToxic: toxic, isNew: new,
        age: age ?? Int32(index % 10), network: network ?? UInt64(1_000 + index), text: text)
    }
  }

  private func rule(_ voices: [Voice], _ background: BrigadingBackground? = nil) -> Brigading.Rule? {
    Brigading.judge(voices, background: background ?? known)?.rule
  }

  @Test func honestComplaintsAreNotHeld() {
    #expect(rule([]) == nil)
    #expect(rule(voices(4, new: true)) == nil)
    #expect(rule(voices(40)) == nil)
    #expect(rule(voices(8) + voices(12, from: 100, new: true)) == nil)
    #expect(rule(voices(15) + voices(4, from: 100, network: 7) + voices(4, from: 200, text: 9)) == nil)
    #expect(rule(voices(15) + voices(4, from: 100, toxic: false)) == nil)
  }

  @Test func eachKindOfBurstIsHeldByItsRule() {
    #expect(rule(voices(2) + voices(20, from: 100, new: true)) == .newReporters)
    #expect(rule(voices(2) + voices(20, from: 100, network: 7)) == .oneNetwork)
    #expect(rule(voices(2) + voices(20, from: 100, text: 7)) == .oneText)
    #expect(rule(voices(2, age: 3) + voices(25, from: 100, age: 0)) == .oneDay)
    #expect(rule(voices(7) + voices(6, from: 100, toxic: false)) == .split)
  }

  @Test func aBurstIsWholeAlsoWhereItIsOfManyKinds() throws {
    // Five networks of four each, and texts in threes: no part of it is large.
    let parts = (0..<5).flatMap { voices(4, from: $0 * 100, network: UInt64($0)) }
    let texts = (0..<3).flatMap { voices(3, from: 1_000 + $0 * 100, text: UInt64($0)) }
    let finding = try #require(Brigading.judge(parts + texts + voices(2, from: 5_000), background: known))
    #expect(finding.reporters.count == 29)
    #expect(finding.rule == .oneNetwork)
    #expect(finding.detail.hasPrefix("Of 31 reporters who complain, 0 are new, ") == false)
    #expect(
      finding.detail == """
        Of 31 reporters who complain, 20 share a network with others, 9 use the same words as others; 2 are neither.
        """)
  }

  @Test func aNumberWithAPastIsNotHeldForABurst() {
    #expect(rule(voices(6, age: 60) + voices(20, from: 100, new: true)) == nil)
    #expect(rule(voices(6, age: 60) + voices(40, from: 100, age: 0)) == nil)
  }

  @Test func threeOthersDoNotCoverTwoHundred() {
    #expect(rule(voices(3) + voices(200, from: 100, new: true)) == .newReporters)
    #expect(rule(voices(60) + voices(200, from: 100, new: true)) == nil)
  }

  @Test func whatIsUsualIsHeldAgainstNobody() {
    let proxied = voices(20, network: 7)
    var background = known
    for index in 0..<60 { background.add(voices(8, network: index < 30 ? 7 : nil)) }
    #expect(background.isCommon(network: 7))
    #expect(rule(proxied, background) == nil)
    var few = known
    for index in 0..<60 { few.add(voices(8, network: index < 10 ? 7 : nil)) }
    #expect(rule(proxied, few) == .oneNetwork)
    // Of a handful of numbers nobody can say what is usual.
    var first = known
    for _ in 0..<5 { first.add(proxied) }
    #expect(rule(proxied, first) == .oneNetwork)
  }

  @Test func whatAnAppSendsAllAtOnceIsNoBurst() {
    var background = known
    for index in 0..<40 { background.add(voices(25, age: index < 20 ? 0 : nil)) }
    #expect(rule(voices(25, age: 0), background) == nil)
    var few = known
    for index in 0..<40 { few.add(voices(25, age: index < 10 ? 0 : nil)) }
    #expect(rule(voices(25, age: 0), few) == .oneDay)
  }

  @Test func whereEverybodyIsNewNobodyIsSuspectForIt() {
    #expect(rule(voices(20, new: true), BrigadingBackground(established: 49)) == nil)
    var background = known
    for index in 0..<40 { background.add(voices(8, new: index < 30)) }
    #expect(rule(voices(20, new: true), background) == nil)
  }

  /// More honest voices never make a number suspect, and more suspect ones never clear it.
  @Test func judgementIsMonotone() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<2_000 {
      let honest = voices(Int.random(in: 0..<12, using: &generator))
      let burst = voices(
        Int.random(in: 0..<30, using: &generator), from: 100, new: Bool.random(using: &generator),
        network: Bool.random(using: &generator) ? 7 : nil)
      let isHeld = [.newReporters, .oneNetwork].contains(rule(honest + burst))
      if isHeld {
        #expect(rule(honest + burst + voices(3, from: 900, new: true)) != nil)
      } else {
        #expect(![.newReporters, .oneNetwork].contains(rule(honest + burst + voices(3, from: 900, age: 20))))
      }
    }
  }

  @Test func aTextIsTheSameInOtherWriting() {
    let key = TextKey.key(of: "They said: my car's warranty!!")
    #expect(key != nil)
    #expect(TextKey.key(of: "they said my CARS warranty") == key)
    #expect(TextKey.key(of: "they said my van's warranty") != key)
    #expect(TextKey.key(of: "Spam call!") == nil)
    #expect(TextKey.key(of: nil) == nil)
    #expect(TextKey.key(of: "Звонили из банка и просили код") == TextKey.key(of: "звонили из банка, и просили код."))
  }

  @Test func aReporterIsItsBytes() {
    let bytes = (0..<16).map { UInt8($0 * 16 + 1) }
    #expect(Reporter(bytes).bytes == bytes)
    #expect(Reporter([1] + bytes.dropFirst()) < Reporter([2] + bytes.dropFirst()))
  }
}
