// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PhoneNumbers
public import PostgreSQL

/// A number of the newest publication with the figures that PhoneBlock's clients read.
public struct ListedCaller: Sendable, Equatable {
  /// E.164 digits.
  public let number: Int64
  public let category: ReportCategory
  /// A moderator's label; nil for none.
  public let label: String?
  /// The cause of the listing: the decision in force, otherwise the cause in the publication.
  public let cause: ListedNumber.Cause
  /// Whether it may be blocked; otherwise it may only be identified.
  public var mayBlock: Bool
  /// Whether it was allowed or protected since the publication.
  public var isAllowed: Bool
  public let listedAt: Date
  var storedHeat: Double
  var storedEvidence: Double
  var storedLegitimate: Double

  /// The heat for apps; see ``Explanation/coarse``.
  public func heat(at time: Date) -> Double {
    Explanation.coarseWeight(Decay.heat.value(ofStoredSum: storedHeat, at: Explanation.coarseTime(time)))
  }

  /// The evidence for apps, and the weight against it.
  public func evidence(at time: Date) -> (complaints: Double, legitimate: Double) {
    let time = Explanation.coarseTime(time)
    return (
      Explanation.coarseWeight(Decay.evidence.value(ofStoredSum: storedEvidence, at: time)),
      Explanation.coarseWeight(Decay.evidence.value(ofStoredSum: storedLegitimate, at: time))
    )
  }

  /// The confidence for apps, 0 to 1.
  public func confidence(at time: Date) -> Double {
    let time = Explanation.coarseTime(time)
    return Explanation.coarseConfidence(
      evidence: Decay.evidence.value(ofStoredSum: storedEvidence, at: time),
      legitimate: Decay.evidence.value(ofStoredSum: storedLegitimate, at: time))
  }
}

/// A number that was asked for by itself.
public enum CallerState: Sendable, Equatable {
  /// The newest publication contains it.
  case listed(ListedCaller)
  /// It is not listed; a moderator allowed it, or it is protected.
  case allowed
  case unlisted
}

/// Lookups of PhoneBlock's clients: listed numbers by their SHA-1, and listed ranges.
public struct CallerStore: Sendable {
  /// The most numbers of ``hottest(blocks:prefix:limit:at:)``: as many records as the largest binary list has.
  public static let maxHottest = 65_535

  /// Nothing tells a stranger that the owner has suppressed a number, even before the next publication.
  private static let suppression = ProtectionReason.protectedNumber(reason: ProtectionStore.suppressionReason)

  private let pool: PostgresPool
  private let protection: ProtectedNumberReader

  /// The digits that the numbers of a region begin with; empty for the numbers of all regions.
  public static func prefix(of region: PhoneRegion?) -> String { region.map { "\($0.callingCode)" } ?? "" }

  public init(pool: PostgresPool) {
    self.pool = pool
    protection = ProtectedNumberReader(store: ProtectionStore(pool: pool))
  }

  /// The listed numbers whose hash begins with a prefix, in ascending order of number, and the personal numbers of the
  /// user who asks.
  ///
  /// As in lookups by SHA-256, packs decide whether a number may be blocked, except that appeals, decisions and
  /// protections since the publication apply at once.
  /// - Parameters:
  ///   - reporter: the user's pseudonym, 16 bytes.
  ///   - time: the time for which appeals are evaluated.
  public func listed(
    _ prefix: NumberSHA1Prefix, for reporter: [UInt8], at time: Date
  ) async throws -> (callers: [ListedCaller], personal: [PersonalNumber]) {
    let (rows, personal) = try await pool.withConnection { connection in
      try await connection.pipeline(SQL.findCallersBySHA1(prefix: prefix), SQL.readPersonalNumbers(reporter: reporter))
    }
    let found = rows.filter {
      prefix.bytes.count <= 8 || prefix.matches(NumberSHA1.of("+\($0.caller.number)"))
    }
    return (try await evaluated(found, at: time).sorted { $0.number < $1.number }, personal)
  }

  /// The state of one number, and the personal numbers of the user who asks.
  /// - Parameters:
  ///   - reporter: the user's pseudonym, 16 bytes.
  ///   - time: the time for which appeals are evaluated.
  public func state(
    of number: Int64, for reporter: [UInt8], at time: Date
  ) async throws -> (state: CallerState, personal: [PersonalNumber]) {
    let (found, decisions, personal) = try await pool.withConnection { connection in
      try await connection.pipeline(
        SQL.findCaller(number: number), SQL.readStandingDecision(number: number),
        SQL.readPersonalNumbers(reporter: reporter))
    }
    if let caller = try await evaluated(found, at: time).first { return (.listed(caller), personal) }
    if decisions.first?.treatment == .allow { return (.allowed, personal) }
    let rule = try await protection.numbers().rule(for: number)
    return (rule == nil || rule == Self.suppression ? .unlisted : .allowed, personal)
  }

  /// The figures before the reports that apps do not see yet; see ``ExplanationStore/explainCoarsely(_:at:)``.
  private func seen(_ found: [FoundCaller], at time: Date) async throws -> [FoundCaller] {
    func changed(since time: Date) -> [Int64] {
      found.filter { $0.lastReceivedAt.map { $0 >= time } ?? false }.map(\.caller.number)
    }
    guard !changed(since: Explanation.coarseTime(time)).isEmpty else { return found }
    let cut = try await cut(at: time)
    let numbers = changed(since: cut)
    guard !numbers.isEmpty else { return found }
    let sums = try await pool.run(SQL.readSeenSums(numbers: numbers.sorted(), since: cut))
    let byNumber = Dictionary(sums.map { ($0.number, $0) }) { first, _ in first }
    return found.map { row in
      guard let sums = byNumber[row.caller.number] else { return row }
      var row = row
      (row.caller.storedHeat, row.caller.storedEvidence) = (sums.heat, sums.evidence)
      row.caller.storedLegitimate = sums.legitimate
      return row
    }
  }

  private func cut(at time: Date) async throws -> Date {
    Explanation.coarseTime(time, published: try await pool.run(SQL.readLatestPublication()).first?.asOf)
  }

  /// Applies protection and appeals. It takes its connections itself, so call it without one.
  private func evaluated(_ found: [FoundCaller], at time: Date) async throws -> [ListedCaller] {
    guard !found.isEmpty else { return [] }
    let found = try await seen(found, at: time)
    let protected = try await protection.numbers()
    let appealed = found.filter(\.isAppealed).map(\.caller.number).sorted()
    let victims =
      appealed.isEmpty
      ? []
      : try await pool.withConnection { try await AppealStore.victims(at: time, numbers: appealed, on: $0) }
    return found.compactMap { row in
      var caller = row.caller
      if let rule = protected.rule(for: caller.number) {
        guard rule != Self.suppression else { return nil }
        caller.isAllowed = true
      }
      if caller.isAllowed || victims.contains(caller.number) { caller.mayBlock = false }
      return caller
    }
  }

  /// The serial of the newest publication; its ranges change only with it.
  public func serial() async throws -> Int64 { try await ListedRangeStore(pool: pool).serial() }

  /// The ranges of the newest publication that are to be blocked, ascending; those that follow each other are joined.
  public func blockedRanges() async throws -> [ClosedRange<Int64>] {
    RangeMerge.joined(try await ListedRangeStore(pool: pool).ranges().ranges.filter(\.blocks).map(\.numbers))
  }

  /// The numbers of listed ranges that may not be blocked, as ascending ranges without overlaps: those that are protected, allowed, identified or appealed, so that no client blocks one of them with its range.
  /// - Parameter ranges: ascending, without overlaps.
  public func disputed(in ranges: [ClosedRange<Int64>]) async throws -> [ClosedRange<Int64>] {
    guard !ranges.isEmpty else { return [] }
    let numbers = try await pool.run(
      """
      SELECT d.number FROM unnest($1::bigint[], $2::bigint[]) AS r (first, last)
      JOIN number_decisions d ON d.number BETWEEN r.first AND r.last WHERE d.decision <> 'block'
      UNION SELECT a.number FROM unnest($1::bigint[], $2::bigint[]) AS r (first, last)
      JOIN appeals a ON a.number BETWEEN r.first AND r.last WHERE a.state <> 'rejected'
      UNION SELECT l.number FROM unnest($1::bigint[], $2::bigint[]) AS r (first, last)
      JOIN listings l ON l.number BETWEEN r.first AND r.last WHERE l.treatment <> 0
      """,
      ranges.map(\.lowerBound), ranges.map(\.upperBound)
    ) { try $0.decode(0, as: Int64.self) }
    let protected = try await protection.numbers()
    let all = numbers.map { $0...$0 } + ranges.flatMap(protected.ranges)
    return RangeMerge.joined(all.sorted { $0.lowerBound < $1.lowerBound })
  }

  /// The numbers to block, or only to identify, with the most heat, highest heat first. A decision since the publication can
  /// take a number away, but not change its treatment: the result is kept, and the decision may be undone.
  /// - Parameters:
  ///   - blocks: whether they may be blocked.
  ///   - prefix: the digits that they begin with; empty for all.
  ///   - limit: the most numbers.
  ///   - time: the time for which appeals are evaluated.
  public func hottest(
    blocks: Bool = true, prefix: String, limit: Int = maxHottest, at time: Date
  ) async throws -> [ListedCaller] {
    let found = try await pool.run(
      """
      WITH \(SQL.unseenSumsOfListings)
      \(CallerSQL.columns(join: "LEFT JOIN unseen u ON u.number = l.number"))
        AND (l.treatment = 0) = $3 AND starts_with(l.number::text, $1)
        AND r.decision IS DISTINCT FROM 'allow' AND (NOT $3 OR r.decision IS DISTINCT FROM 'identify')
      ORDER BY n.heat + coalesce(u.heat, 0) DESC NULLS LAST, l.number LIMIT $2::bigint
      """,
      prefix, Int64(limit), blocks, try await cut(at: time), Decay.origin, Decay.heat.timeConstant,
      Decay.evidence.timeConstant,
      decode: CallerSQL.decode)
    return try await evaluated(found, at: time).filter { $0.mayBlock == blocks && !$0.isAllowed }
  }

  /// The figures of some numbers; those that are not listed are missing.
  public func callers(_ numbers: [Int64], at time: Date) async throws -> [ListedCaller] {
    try await seen(
      try await pool.run("\(CallerSQL.columns) AND l.number = ANY($1::bigint[])", numbers, decode: CallerSQL.decode),
      at: time
    ).map(\.caller)
  }
}
