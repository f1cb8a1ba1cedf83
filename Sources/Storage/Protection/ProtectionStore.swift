// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL

/// Protected numbers, which may never be published: entries of operators, and emergency and short numbers according to
/// the numbering plans.
public struct ProtectionStore: Sendable {
  /// The most patterns: each is up to 1,200 blocks of numbers in the servers' memory.
  public static let maxPatterns = 2_000
  /// The most numbers: 24 MB in memory.
  static let maxNumbers = 2_000_000

  let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Protects numbers and patterns, all or none. Listed numbers among them are revoked, so that packs lose them before the
  /// next publication.
  ///
  /// Protected ones stay as they are: a list must not end what a person or an earlier list protects. Only an end of the
  /// same author moves to a later time.
  /// - Parameters:
  ///   - targets: each with its owner and reason, 1 to 200 characters.
  ///   - addedBy: the account that adds them, or the ``author(ofList:)``.
  ///   - end: when the protection ends; nil for never.
  ///   - audit: the audit event.
  /// - Returns: the number of those that stay as they are.
  /// - Throws: ``ProtectionError``; `PostgresError`.
  @discardableResult
  public func add(
    _ targets: [(target: ProtectionTarget, reason: String)], by addedBy: String, until end: Date? = nil, at time: Date,
    audit: AuditEvent? = nil
  ) async throws -> Int {
    try await pool.change(at: time) { connection in
      _ = try await connection.run(SQL.bumpProtectionVersion())
      let kept = try await Self.add(targets, by: addedBy, until: end, at: time, on: connection)
      return .made(audit.map { [$0] } ?? [], kept)
    }
  }

  /// Protects one number or pattern in the name of a person, in place of the protection that it has from people and
  /// imported lists.
  /// - Parameter reason: one line of 1 to 200 characters.
  /// - Returns: the protection that it replaces, which the audit event also has; nil for none.
  /// - Throws: `RuleViolation` for the reason; ``ProtectionError``; `PostgresError`.
  public func set(
    _ target: ProtectionTarget, reason: String, until end: Date? = nil, by actor: Actor, at time: Date
  ) async throws -> Protection? {
    let reason = try RuleViolation.line(reason, "reason", atMost: TextLimit.protectionReason)
    return try await pool.change(at: time) { connection in
      _ = try await connection.run(SQL.bumpProtectionVersion())
      let replaced = try await Self.remove(target, on: connection)
      _ = try await Self.add([(target, reason)], by: actor.name, until: end, at: time, on: connection)
      let before = replaced.map { former in
        ["reason": former.reason, "added_by": former.addedBy, "expires_at": former.expiresAt?.formatted(.iso8601)]
          .compactMapValues(\.self)
      }
      let event = actor.did(
        .protectionAdd, to: target.text, before: before, after: ["what": target.text], because: reason)
      return .made(event, replaced)
    }
  }

  /// Whether the owner of a number has suppressed it.
  public func isSuppressed(_ number: Int64) async throws -> Bool {
    try await protections(of: number).contains(where: \.isSuppression)
  }

  /// The author of the protections of a list: protections by a person are never a list's own.
  public static func author(ofList name: String) -> String { TextLimit.author("list:\(name)") }

  /// The same within a transaction.
  /// - Parameter appID: the source whose list has them; 0 for people.
  static func add(
    _ targets: [(target: ProtectionTarget, reason: String)], by addedBy: String, until end: Date? = nil,
    appID: Int32 = 0, at time: Date, on connection: PostgresConnection
  ) async throws -> Int {
    var numbers: [Int64: String] = [:]
    var patterns: [String: String] = [:]
    for item in targets {
      switch item.target {
      case .number(let number): numbers[number] = item.reason
      case .pattern(let pattern): patterns[pattern.text] = item.reason
      }
    }
    let (sortedNumbers, sortedPatterns) = (numbers.sorted { $0.key < $1.key }, patterns.sorted { $0.key < $1.key })
    var kept = numbers.count + patterns.count
    for start in stride(from: 0, to: sortedNumbers.count, by: 10_000) {
      let batch = sortedNumbers[start..<min(start + 10_000, sortedNumbers.count)]
      kept -= try await connection.run(
        SQL.addProtectedNumbers(
          numbers: batch.map(\.key), reasons: batch.map(\.value), addedBy: addedBy, time: time, until: end, appID: appID
        )
      ).count
    }
    if !sortedPatterns.isEmpty {
      kept -= try await connection.run(
        SQL.addProtectedPatterns(
          patterns: sortedPatterns.map(\.key), reasons: sortedPatterns.map(\.value), addedBy: addedBy, time: time,
          until: end, appID: appID)
      ).count
    }
    let counts = try await connection.run(SQL.countProtected())[0]
    guard counts.patterns <= maxPatterns else { throw ProtectionError.tooManyPatterns(limit: maxPatterns) }
    guard counts.numbers <= maxNumbers else { throw ProtectionError.tooManyNumbers(limit: maxNumbers) }
    try await revokeListed(
      numbers: sortedNumbers.map(\.key), patterns: sortedPatterns.map(\.key), by: addedBy, at: time, on: connection)
    return kept
  }

  /// Requests revocations of listed numbers that are now protected, up to the limit of one publication. The next
  /// complete publication leaves out the others.
  private static func revokeListed(
    numbers: [Int64], patterns: [String], by addedBy: String, at time: Date, on connection: PostgresConnection
  ) async throws {
    let patterns = try patterns.map { try ProtectedPattern($0) }
    var found = Set(try await connection.run(SQL.findListed(numbers: numbers)))
    let blocks = patterns.flatMap(\.blocks)
    for start in stride(from: 0, to: blocks.count, by: 10_000) {
      let some = blocks[start..<min(start + 10_000, blocks.count)]
      found.formUnion(
        try await connection.run(
          SQL.findListedOfProtected(firsts: some.map(\.lowerBound), lasts: some.map(\.upperBound))))
    }
    var listed = Array(found.sorted().prefix(Revocation.maxTogether))
    // One number of each range is enough: a revocation drops all protected numbers.
    let ranges = try await connection.run(SQL.readListedRanges()).map(\.range.numbers)
    if !ranges.isEmpty {
      var builder = ProtectedNumbersBuilder()
      for number in numbers { builder.add(number, reason: "") }
      for pattern in patterns { builder.add(pattern, reason: "") }
      let protected = builder.finish()
      listed = Set(listed + ranges.compactMap { protected.first(in: $0)?.number }).sorted()
    }
    guard !listed.isEmpty else { return }
    _ = try await connection.run(
      SQL.revokeProtected(ids: listed.map { _ in UUID() }, numbers: listed, requestedBy: addedBy, time: time))
  }

  /// Removes a protection.
  /// - Returns: whether there was a protection. Emergency and short numbers stay protected.
  public func remove(
    _ target: ProtectionTarget, by actor: Actor, because reason: String? = nil, at time: Date
  ) async throws -> Bool {
    try await pool.change(at: time) { connection in
      _ = try await connection.run(SQL.bumpProtectionVersion())
      guard try await Self.remove(target, on: connection) != nil else { return .none(false) }
      let event = actor.did(.protectionRemove, to: target.text, before: ["what": target.text], because: reason)
      return .made(event, true)
    }
  }

  private static func remove(_ target: ProtectionTarget, on connection: PostgresConnection) async throws -> Protection?
  {
    switch target {
    case .number(let number): try await connection.run(SQL.removeProtectedNumber(number: number)).first?.protection
    case .pattern(let pattern): try await connection.run(SQL.removeProtectedPattern(pattern: pattern.text)).first
    }
  }

  /// Passes all protections to `body`: patterns first, then numbers in ascending order.
  public func forEach(_ body: @Sendable ([Protection]) async throws -> Void) async throws {
    try await pool.withConnection { connection in
      try await body(try await connection.run(SQL.readProtectedPatterns()))
      for try await batch in connection.stream(SQL.readProtectedNumbers()).batches {
        try await body(batch.map(\.protection))
      }
    }
  }

  /// All protected numbers, prepared for millions of lookups.
  public func load() async throws -> ProtectedNumbers {
    try await pool.withConnection { try await Self.load(on: $0) }
  }

  /// The same as of a connection's snapshot.
  public static func load(on connection: PostgresConnection) async throws -> ProtectedNumbers {
    var builder = ProtectedNumbersBuilder(shortNumber: shortNumber)
    for item in try await connection.run(SQL.readProtectedPatterns()) {
      builder.add(try ProtectedPattern(item.what), reason: item.reason)
    }
    for try await batch in connection.stream(SQL.readProtectedNumbers()).batches {
      for item in batch { builder.add(item.number, reason: item.protection.reason) }
    }
    return builder.finish()
  }

  /// The reason why one number is protected now; nil where it is not.
  public func rule(for number: Int64) async throws -> ProtectionReason? {
    try await pool.withConnection { try await Self.rule(for: number, on: $0) }
  }

  static func rule(for number: Int64, on connection: PostgresConnection) async throws -> ProtectionReason? {
    let (patterns, numbers) = try await connection.pipeline(
      SQL.readProtectedPatterns(only: number), SQL.readProtectedNumber(number: number))
    return try rule(for: number, patterns: patterns, numbers: numbers)
  }

  /// The same from rows: the patterns that may match the number, and the number itself if it is protected.
  static func rule(
    for number: Int64, patterns: [Protection], numbers: [(number: Int64, protection: Protection)]
  ) throws -> ProtectionReason? {
    var builder = ProtectedNumbersBuilder(shortNumber: shortNumber)
    for item in patterns { builder.add(try ProtectedPattern(item.what), reason: item.reason) }
    for item in numbers { builder.add(item.number, reason: item.protection.reason) }
    return builder.finish().rule(for: number)
  }

  /// The version of the protected numbers, which rises with every change; the result of ``load()`` is valid until then.
  public func version() async throws -> Int64 {
    try await pool.run("SELECT version FROM protection_version") { try $0.decode(0, as: Int64.self) }.first ?? 0
  }

  private static let shortNumber: @Sendable (Int64) -> ProtectionReason? = { number in
    switch ShortNumber(digits: number) {
    case .emergency: .emergencyNumber
    case .short: .shortNumber
    // Dialed without a calling code, like 112 and 911: no calling code has regular numbers this short.
    case nil: number < 1_000_000 && PhoneNumber(digits: number)?.isValid != true ? .shortNumber : nil
    }
  }
}

extension SQL {
  static func countProtected() -> Statement<(patterns: Int, numbers: Int)> {
    Statement(
      "SELECT (SELECT count(*) FROM protected_patterns), (SELECT count(*) FROM protected_numbers)"
    ) { (Int(try $0.decode(0, as: Int64.self)), Int(try $0.decode(1, as: Int64.self))) }
  }
}

public struct ProtectionCounts: Sendable, Equatable {
  public var patterns = 0
  public var numbers = 0
}

extension ProtectionStore {
  /// All patterns, in the order of their text.
  public func patterns() async throws -> [Protection] {
    try await pool.run(SQL.readProtectedPatterns())
  }

  /// Protected numbers above `after`, ascending.
  public func numbers(after: Int64, limit: Int) async throws -> [(number: Int64, protection: Protection)] {
    try await pool.run(
      """
      SELECT \(SQL.protectedNumberColumns) FROM protected_numbers p
      WHERE number > $1
        AND NOT EXISTS (SELECT 1 FROM protected_numbers o WHERE o.number = p.number AND o.app_id < p.app_id)
      ORDER BY number LIMIT $2::bigint
      """,
      after, Int64(limit), decode: SQL.decodeReadProtectedNumbers)
  }

  public func counts() async throws -> ProtectionCounts {
    let counts = try await pool.run(SQL.countProtected()).first
    return ProtectionCounts(patterns: counts?.patterns ?? 0, numbers: counts?.numbers ?? 0)
  }
}

/// The protected numbers in memory, read again after a change of them. One task reads them at a time for each version.
actor ProtectedNumberReader {
  private let store: ProtectionStore
  private var known: (version: Int64, task: Task<ProtectedNumbers, any Error>)?

  init(store: ProtectionStore) {
    self.store = store
  }

  func numbers() async throws -> ProtectedNumbers {
    let version = try await store.version()
    if let known, known.version == version { return try await known.task.value }
    let task = Task { [store] in try await store.load() }
    known = (version, task)
    do {
      return try await task.value
    } catch {
      if known?.task == task { known = nil }
      throw error
    }
  }
}
