// SPDX-License-Identifier: Apache-2.0

import Curation
public import Storage

/// Checks the gates of a publication from its figures, without I/O.
public struct GateChecker: Sendable {
  private let limits: GateLimits
  /// Gates that do not apply, as for revocations.
  private let exempt: Set<Gate>

  /// - Parameters:
  /// - limits: allowed differences.
  /// - exempt: gates that do not apply.
  public init(limits: GateLimits, exempt: Set<Gate> = []) {
    self.limits = limits
    self.exempt = exempt
  }

  /// Checks every gate for every pack and for the publication.
  /// - Parameter packs: those of this publication, and those of the previous one that it lacks.
  public func check(_ packs: [PackStatistics]) -> [GateRecord] {
    var records = packs.flatMap(check)
    let entries = packs.reduce(0) { $0 + ($1.entries ?? 0) }
    records.append(record(.nonEmpty, "", entries > 0, entries > 0 ? .hasEntries(entries: entries) : .noEntries))
    return records
  }

  private func check(_ pack: PackStatistics) -> [GateRecord] {
    let former = pack.formerEntries ?? 0
    guard let entries = pack.entries else {
      return [record(.nonEmpty, pack.name, former <= limits.tolerance, .packMissing(formerEntries: former))]
    }
    let hasRoom = entries <= pack.cap
    let isMissed = entries == 0 && former > limits.tolerance
    return [
      record(.readable, pack.name, pack.damage == nil, pack.damage.map { .packUnreadable($0) } ?? .packReadable),
      record(
        .order, pack.name, pack.disorder == nil,
        pack.disorder.map { .numbersNotAscending(number: $0.number, previous: $0.previous) } ?? .numbersAscend),
      record(
        .cap, pack.name, hasRoom,
        hasRoom
          ? .entriesWithinMaximum(entries: entries, maximum: pack.cap)
          : .tooManyEntries(entries: entries, maximum: pack.cap)),
      record(
        .protected, pack.name, pack.protected.isEmpty,
        pack.protected.isEmpty ? .noProtectedNumbers : .protectedNumbers(pack.protected)),
      record(
        .nonEmpty, pack.name, !isMissed,
        isMissed ? .packEmpty(formerEntries: former) : .hasEntries(entries: entries)),
      size(pack, entries),
      churn(pack),
    ]
  }

  private func size(_ pack: PackStatistics, _ entries: Int) -> GateRecord {
    guard let former = pack.formerEntries else { return record(.size, pack.name, true, .firstOfItsName) }
    let change = GateFinding.SizeChange(
      entries: entries, sizeBytes: pack.bytes, formerEntries: former, formerBytes: pack.formerBytes)
    let isSmall = abs(entries - former) <= limits.tolerance
    let isWithin = Self.isWithin(entries, former, limits) && Self.isWithin(pack.bytes, pack.formerBytes, limits)
    let lower = Self.percent(limits.minSize)
    let upper = max(lower, Self.percent(limits.maxSize))
    return record(
      .size, pack.name, isSmall || isWithin,
      isSmall || isWithin
        ? .sizeWithinLimits(change) : .sizeOutsideLimits(change, minimumPercent: lower, maximumPercent: upper))
  }

  private func churn(_ pack: PackStatistics) -> GateRecord {
    guard let former = pack.formerEntries else { return record(.churn, pack.name, true, .firstOfItsName) }
    let limit = max(Double(former) * limits.maxChurn, Double(limits.tolerance))
    let isWithin = Double(pack.added + pack.removed) <= limit
    return record(
      .churn, pack.name, isWithin,
      isWithin
        ? .churnWithinLimits(added: pack.added, removed: pack.removed, formerEntries: former)
        : .tooMuchChurn(
          added: pack.added, removed: pack.removed, formerEntries: former,
          maximumPercent: Self.percent(limits.maxChurn)))
  }

  private static func isWithin(_ value: Int, _ former: Int, _ limits: GateLimits) -> Bool {
    let (value, former) = (Double(value), Double(former))
    return value >= former * limits.minSize && value <= former * limits.maxSize
  }

  private static func percent(_ part: Double) -> Int { Int((part * 100).rounded()) }

  private func record(_ gate: Gate, _ pack: String, _ passed: Bool, _ finding: GateFinding) -> GateRecord {
    GateRecord(gate: gate.rawValue, pack: pack, passed: passed || exempt.contains(gate), finding: finding)
  }
}

extension [GateRecord] {
  /// Adds the overruling account and reason to failed gates.
  func overruled(by overrules: [PublicationRequest.Overrule]) -> [GateRecord] {
    map { record in
      guard !record.passed, let gate = Gate(rawValue: record.gate), gate.canBeOverruled,
        let word = overrules.first(where: { $0.gate == gate })
      else { return record }
      var record = record
      (record.overruledBy, record.overruledWhy) = (word.by, word.reason)
      return record
    }
  }

  /// The failed gates that are not overruled.
  public var closed: [GateRecord] { filter { !$0.passed && $0.overruledBy == nil } }
}
