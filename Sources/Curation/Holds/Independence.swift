// SPDX-License-Identifier: Apache-2.0

/// The independent reporters among those who complain about a number.
///
/// Two reporters depend on each other when they share a network or a comment, or when at least ``minShared`` of the other
/// numbers that they report are the same, or one that half of the number's reporters share, and these are at least
/// ``minShare`` of the numbers of the one with fewer.
/// Dependence is transitive: reporters form groups by single linkage, and a group counts once. People who were called by
/// a number share that number; the accounts of a brigade share their targets. Source of the grouping by common targets:
/// Cao, Yang, Yu, Palow, "Uncovering Large Groups of Active Malicious Accounts in Online Social Networks" (SynchroTrap),
/// CCS 2014, with the overlap coefficient (Szymkiewicz–Simpson) in place of Jaccard's, so that filler reports of one
/// account do not hide what it shares.
public struct Independence: Sendable, Equatable {
  /// The least number of common other numbers of two reporters who depend on each other.
  static let minShared = 2
  /// The least part of the numbers of the reporter with fewer.
  static let minShare = 0.1

  /// The groups of reporters.
  public private(set) var groups: [Set<Reporter>]

  /// Number of independent reporters.
  public var count: Int { groups.count }

  /// - Parameters:
  ///   - votes: one a reporter.
  ///   - background: networks and comments that are usual connect nobody.
  ///   - overlap: the numbers that reporters have in common.
  public init(_ votes: [ReporterVote], background: BrigadeBaseline, overlap: TargetOverlap) {
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
    link { vote in vote.network.flatMap { background.isUsual(network: $0) ? nil : $0 } }
    link { vote in vote.text.flatMap { background.isUsual(text: $0) ? nil : $0 } }
    for (left, right) in overlap.pairs(among: votes) { parents[root(left)] = root(right) }
    groups = Dictionary(grouping: votes.indices) { root($0) }.values.map { Set($0.map { votes[$0].reporter }) }
  }
}

/// The numbers that each reporter has reported, among the numbers of a review.
public struct TargetOverlap: Sendable {
  /// Numbers with more reporters are left out: that two reporters share them says nothing.
  public static let maxReporters = 1_000
  /// Each reporter is compared with so many others of a number, in the order of the pseudonyms, so that the work is
  /// linear. The order is the same for each number, so the accounts of a brigade meet.
  private static let window = 16

  private var numbers: [Reporter: [Int32]] = [:]
  private var count: Int32 = 0

  /// No numbers.
  public init() {}

  /// Adds the reporters of one number.
  public mutating func add(_ reporters: [Reporter]) {
    count += 1
    guard (2...Self.maxReporters).contains(reporters.count) else { return }
    for reporter in reporters { numbers[reporter, default: []].append(count) }
  }

  /// The pairs of reporters of one number who depend on each other, as indices; see ``Independence``. People who have
  /// reported for long share numbers by chance, so they are not compared.
  func pairs(among votes: [ReporterVote]) -> [(Int, Int)] {
    let reporters = votes.map(\.reporter)
    guard (2...Self.maxReporters).contains(reporters.count) else { return [] }
    let order = votes.indices.filter { !votes[$0].isLongEstablished }.sorted { reporters[$0] < reporters[$1] }
    var members: [Int32: [Int]] = [:]
    for place in order.indices {
      for number in numbers[reporters[order[place]]] ?? [] { members[number, default: []].append(place) }
    }
    var shared: [SIMD2<Int>: Int] = [:]
    // A number that half of them share is no chance, so it counts like two.
    func weight(_ count: Int) -> Int {
      count >= BrigadeDetection.minCluster && 2 * count >= order.count ? 2 : 1
    }
    for places in members.values {
      for first in places.indices {
        for second in places[first...].dropFirst().prefix(Self.window) {
          shared[SIMD2(places[first], second), default: 0] += weight(places.count)
        }
      }
    }
    return shared.compactMap { pair, count in
      let (left, right) = (order[pair.x], order[pair.y])
      let fewer = min(numbers[reporters[left]]?.count ?? 0, numbers[reporters[right]]?.count ?? 0) - 1
      // The number itself is one of them.
      let others = count - weight(order.count)
      guard others >= Independence.minShared, Double(others) >= Independence.minShare * Double(fewer) else {
        return nil
      }
      return (left, right)
    }
  }

  /// The reporters of these who depend on another of them.
  func dependent(among votes: [ReporterVote]) -> Set<Reporter> {
    Set(pairs(among: votes).flatMap { [votes[$0.0].reporter, votes[$0.1].reporter] })
  }
}
