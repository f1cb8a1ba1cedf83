// SPDX-License-Identifier: Apache-2.0

/// The independent reporters among those who complain about a number.
///
/// Two reporters depend on each other when they share a network or a comment, or when their accounts have targets in common
/// (``TargetOverlap``). Dependence is transitive: reporters form groups by single linkage, and a group counts once. People
/// who were called by a number share that number; the accounts of a brigade share their targets. Source of the grouping by
/// common targets: Cao, Yang, Yu, Palow, "Uncovering Large Groups of Active Malicious Accounts in Online Social Networks"
/// (SynchroTrap), CCS 2014, with the overlap coefficient (Szymkiewicz–Simpson) in place of Jaccard's, so that filler
/// reports of one account do not hide what it shares.
///
/// A network connects no attested phones. Networks and comments are known for the window only. Established and attested
/// reporters before it are independent; newcomers before it count as one.
struct Independence: Sendable, Equatable {
  let count: Int
  /// Number of different days on which they first reported the number.
  let days: Int

  /// - Parameter background: networks and comments that are usual connect nobody.
  init(_ summary: VoteSummary, background: BrigadeBaseline) {
    let votes = summary.recent
    var parents = Array(votes.indices)
    func root(_ index: Int) -> Int {
      var index = index
      while parents[index] != index {
        parents[index] = parents[parents[index]]
        index = parents[index]
      }
      return index
    }
    func link(_ key: (ReporterVote) -> UInt64?) {
      var first: [UInt64: Int] = [:]
      for (index, vote) in votes.enumerated() {
        guard let key = key(vote) else { continue }
        if let other = first[key] { parents[root(index)] = root(other) } else { first[key] = index }
      }
    }
    link { vote in vote.sharedNetwork.flatMap { background.isUsual(network: $0) ? nil : $0 } }
    link { vote in vote.text.flatMap { background.isUsual(text: $0) ? nil : $0 } }
    for pair in summary.pairs { parents[root(pair.x)] = root(pair.y) }
    let groups = Dictionary(grouping: votes.indices) { root($0) }.values
    var firstDays = groups.map { group in group.map { votes[$0].age }.max() ?? 0 }
    let newcomers = summary.earlier.filter(\.isUnproven)
    let established = summary.earlier.filter { !$0.isUnproven }
    firstDays += established.map(\.age) + (newcomers.map(\.age).max().map { [$0] } ?? [])
    count = firstDays.count
    days = Set(firstDays).count
  }
}

/// The numbers that each reporter has reported, among those that several reported lately.
///
/// Two accounts depend on each other when at least ``minShared`` of their other numbers are the same, or one that half of
/// the number's reporters share, and these are at least ``minShare`` of the numbers of the one with fewer. People who have
/// reported for long share numbers by chance: two of them depend on each other from ``minLongShared`` numbers and half of the
/// numbers of the one with fewer. They are not compared with others.
public struct TargetOverlap: Sendable {
  /// Numbers with more reporters are left out: that two reporters share them says nothing.
  public static let maxReporters = 1_000
  static let minShared = 2
  static let minShare = 0.1
  static let minLongShared = 5
  static let minLongShare = 0.5
  /// The most numbers that are kept of a reporter, by a hash of the number, so that two reporters keep the same ones.
  private static let maxNumbers = 256
  /// The most pairs of reporters of a number that are compared: beyond it each with its neighbors in the order of the
  /// pseudonyms, which is the same for each number, so that the accounts of a brigade meet.
  private static let maxPairs = 2_048
  private static let minNeighbors = 16
  /// The least number of reporters who share a number that is no chance, if they are half of all.
  private static let minSharers = 3

  private var hashes: [Reporter: [UInt64]] = [:]

  public init() {}

  public mutating func add(_ number: Int64, _ reporters: [Reporter]) {
    let hash = Self.hash(of: number)
    for reporter in reporters {
      hashes[reporter, default: []].append(hash)
      if let count = hashes[reporter]?.count, count >= 2 * Self.maxNumbers { cut(reporter) }
    }
  }

  /// Prepares the comparison; call it after the last number.
  public mutating func finish() {
    for reporter in Array(hashes.keys) { cut(reporter) }
  }

  private mutating func cut(_ reporter: Reporter) {
    hashes[reporter]?.sort()
    if let count = hashes[reporter]?.count, count > Self.maxNumbers {
      hashes[reporter]?.removeSubrange(Self.maxNumbers...)
    }
  }

  /// The finalizer of MurmurHash3, a bijection of 64 bits.
  private static func hash(of number: Int64) -> UInt64 {
    var hash = UInt64(bitPattern: number)
    for factor: UInt64 in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
      hash ^= hash >> 33
      hash &*= factor
    }
    return hash ^ hash >> 33
  }

  /// The pairs of votes on a number whose reporters depend on each other, as indices.
  func pairs(among votes: [ReporterVote], on number: Int64) -> [SIMD2<Int>] {
    guard (2...Self.maxReporters).contains(votes.count) else { return [] }
    let own = Self.hash(of: number)
    let order = votes.indices.sorted { votes[$0].reporter < votes[$1].reporter }
    let numbers = order.map { (hashes[votes[$0].reporter] ?? []).filter { $0 != own } }
    var counts: [UInt64: Int] = [:]
    for hash in numbers.joined() { counts[hash, default: 0] += 1 }
    // A number that half of them share is no chance, so it counts like two.
    func weight(_ hash: UInt64) -> Int {
      let count = counts[hash] ?? 0
      return count >= Self.minSharers && 2 * count >= order.count ? 2 : 1
    }
    var pairs: [SIMD2<Int>] = []
    let neighbors = max(Self.minNeighbors, Self.maxPairs / order.count)
    for first in order.indices {
      for second in order.indices.dropFirst(first + 1).prefix(neighbors) {
        let (left, right) = (order[first], order[second])
        guard votes[left].isLongEstablished == votes[right].isLongEstablished else { continue }
        let isLong = votes[left].isLongEstablished
        let shared = Self.common(numbers[first], numbers[second])
        let count = isLong ? shared.count : shared.reduce(0) { $0 + weight($1) }
        let fewer = Double(min(numbers[first].count, numbers[second].count))
        guard count >= (isLong ? Self.minLongShared : Self.minShared),
          Double(count) >= (isLong ? Self.minLongShare : Self.minShare) * fewer
        else { continue }
        pairs.append(SIMD2(left, right))
      }
    }
    return pairs
  }

  /// The values that two ascending arrays have in common.
  private static func common(_ left: [UInt64], _ right: [UInt64]) -> [UInt64] {
    var (common, place) = ([UInt64](), 0)
    for value in left {
      while place < right.count, right[place] < value { place += 1 }
      if place < right.count, right[place] == value { common.append(value) }
    }
    return common
  }
}
