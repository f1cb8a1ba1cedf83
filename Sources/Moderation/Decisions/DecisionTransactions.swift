// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PhoneNumbers
import PostgreSQL
import Storage
import Support

/// Decisions within the caller's transaction.
extension PostgresConnection {
  /// Records a decision with its audit event; see `DecisionService.record`.
  /// - Throws: `RuleViolation`; ``DecisionError/stale``; `PostgresError`.
  func record(
    _ decision: Decision, expecting expected: ExpectedDecision, role: Role,
    revoking action: Revocation.Action = .unlist, answersAppeals: Bool = true, decidesRangeCases: Bool = true,
    reviews: ReviewPolicy, _ events: inout [AuditEvent]
  ) async throws -> DecisionOutcome {
    try await record(
      [(decision, expected)], role: role, revoking: action, answersAppeals: answersAppeals,
      decidesRangeCases: decidesRangeCases, reviews: reviews, &events)[0].get()
  }

  /// Records decisions about different numbers, each with its audit event, in as many round trips as one decision.
  /// - Parameters:
  ///   - wanted: in ascending order of number, so that transactions lock in the same order.
  ///   - answersAppeals: whether to allow a number upholds its open appeals; otherwise such a decision fails.
  ///   - decidesRangeCases: whether a number is decided whose case asks about a range.
  /// - Returns: the outcome of each; a failure is a `RuleViolation` or ``DecisionError/stale``, and changed nothing.
  /// - Throws: `PostgresError`.
  func record(
    _ wanted: [(decision: Decision, expected: ExpectedDecision)], role: Role,
    revoking action: Revocation.Action = .unlist, answersAppeals: Bool = true, decidesRangeCases: Bool = true,
    reviews: ReviewPolicy, _ events: inout [AuditEvent]
  ) async throws -> [Result<DecisionOutcome, any Error>] {
    var reading = PostgresPipeline()
    let places = wanted.map { RecordFacts.Places(of: $0.decision.number, in: &reading) }
    let read = try await run(reading)
    let facts = try places.map { try RecordFacts($0, in: read) }
    var outcomes = zip(wanted, facts).map { wish, facts in
      Result {
        try facts.outcome(of: wish.decision, expecting: wish.expected, role: role, answersAppeals: answersAppeals)
      }
    }
    for (index, fact) in facts.enumerated() where !decidesRangeCases && (try? outcomes[index].get()) == .recorded {
      let number = wanted[index].decision.number
      guard fact.item?.causes.contains(.range) == true,
        CaseStore.rangeToDecide(
          of: number, fact.item, fact.rule?.isAppealed == true,
          try await run(SQL.readRangesOfNumber(number: number))) != nil
      else { continue }
      outcomes[index] = .failure(RuleViolation(.rangeOpen, field: "number"))
    }
    let dated = zip(wanted, facts).map { wish, facts in facts.dated(wish.decision, expecting: wish.expected) }
    func recorded() -> [Int] { outcomes.indices.filter { (try? outcomes[$0].get()) == .recorded } }

    // Where there was no row to lock: of two transactions that insert one, the second finds it.
    var taking = PostgresPipeline()
    let taken = recorded().filter { wanted[$0].expected == .this(nil) }.map { index in
      (index, taking.add(SQL.takeStandingPlace(decision: dated[index])))
    }
    let results = taken.isEmpty ? nil : try await run(taking)
    for (index, place) in taken where try results?.rows(place).isEmpty == true {
      outcomes[index] = .failure(DecisionError.stale)
    }

    let new = recorded()
    let added = try await add(new.map { (dated[$0].number, SQL.addDecision(dated[$0], ending: facts[$0].item)) })
    var writing = PostgresPipeline()
    for (index, isAdded) in zip(new, added) {
      let decision = wanted[index].decision
      guard isAdded else {
        // Another transaction has recorded it at the same moment.
        let known = try await run(SQL.readDecisions(number: decision.number)).first { $0.id == decision.id }
        outcomes[index] = .success(known?.says(decision) == true ? .duplicate : .conflict)
        continue
      }
      events.append(
        Actor(name: decision.decidedBy, role: role).did(
          .decision(decision.treatment), to: decision.number, before: facts[index].standing?.fields,
          after: dated[index].fields.merging(facts[index].item?.handling(by: decision) ?? [:]) { own, _ in own },
          because: decision.reason))
      writing.add(SQL.settleCase(number: decision.number))
    }
    if !writing.isEmpty { _ = try await run(writing) }
    for index in recorded() {
      guard let rule = facts[index].rule else { continue }
      try await openReview(of: dated[index], replacing: facts[index].standing?.decisionID, rule, by: reviews)
      if rule.isAppealed {
        try await upholdAppeals(by: wanted[index].decision, role: role, revoking: action, &events)
      }
    }
    return outcomes
  }

  /// Upholds the open appeals about a number that a decision allows, with the decision's reason as the answer, and
  /// requests the number's revocation where it is listed.
  private func upholdAppeals(
    by decision: Decision, role: Role, revoking action: Revocation.Action, _ events: inout [AuditEvent]
  ) async throws {
    let number = decision.number
    let (appeals, listings) = try await pipeline(SQL.readAppealsOf(number: number), SQL.readListing(number: number))
    let open = appeals.filter { $0.state == .open }
    let answers = try open.map {
      try $0.answered(.upheld, by: decision.decidedBy, at: decision.decidedAt, answer: decision.reason)
    }
    for answer in answers { _ = try await run(SQL.answerAppeal(appeal: answer, decision: decision.id)) }
    try await mail(answers, at: decision.decidedAt)
    if !listings.isEmpty, var revocation = Revocation(carryingOut: decision) {
      revocation.action = action
      _ = try await run(SQL.requestRevocation(revocation))
    }
    events.append(
      Actor(name: decision.decidedBy, role: role).did(
        .appealUphold, to: number,
        before: ["listed": listings.first?.category.slug ?? "no", "open_appeals": "\(open.count)"],
        after: ["state": Appeal.State.upheld.rawValue], because: decision.reason))
    _ = try await run(SQL.schedulePurge(number: number, time: decision.decidedAt + RetainedData.contactsKept))
  }

  /// Undoes a decision with its audit event; see `DecisionService.undo`.
  /// - Parameter undoing: author, time and reason of the undoing; its treatment is ignored.
  func undo(
    _ decisionID: UUID, as undoing: Decision, role: Role, _ events: inout [AuditEvent]
  ) async throws -> UndoOutcome {
    try await undo([(decisionID, undoing)], role: role, &events)[0]
  }

  /// Undoes decisions about different numbers, each with its audit event, in as many round trips as one.
  /// - Parameter wanted: in ascending order of number, so that transactions lock in the same order.
  func undo(
    _ wanted: [(decision: UUID, undoing: Decision)], role: Role, _ events: inout [AuditEvent]
  ) async throws -> [UndoOutcome] {
    var reading = PostgresPipeline()
    // Before the history is read: of two simultaneous undoings the second sees the first.
    let places = wanted.map { decision, undoing in
      reading.add(SQL.lockAppeals(number: undoing.number))
      reading.add(SQL.lockStandingDecision(number: undoing.number))
      return (
        history: reading.add(SQL.readDecisions(number: undoing.number)),
        item: reading.add(SQL.readDecidedCase(number: undoing.number, id: decision)),
        standing: reading.add(SQL.readStandingDecision(number: undoing.number))
      )
    }
    let read = try await run(reading)
    var endings: [DecisionEnding] = []
    let outcomes = try zip(wanted, places).map { wish, places in
      let (decision, undoing) = wish
      let history = try read.rows(places.history)
      guard history.contains(where: { $0.id == decision && $0.isDecision }) else { return UndoOutcome.notFound }
      if let earlier = history.first(where: { $0.kind == .undo(decision) }) {
        // The same request again.
        return earlier.id == undoing.id ? .undone : .alreadyUndone
      }
      endings.append(
        DecisionEnding(
          number: undoing.number, decision: decision, id: undoing.id, reason: undoing.reason,
          decidedBy: undoing.decidedBy, time: undoing.decidedAt, item: try read.rows(places.item).first,
          before: try read.rows(places.standing).first))
      return .undone
    }
    _ = try await end(endings, role: role, action: .decisionUndo, &events)
    return outcomes
  }

  /// Ends the decision in force where it has expired, with its audit event; see `DecisionService.expire`.
  /// - Returns: false where another server has ended it, or another decision is in force.
  func expire(
    _ decisionID: UUID, of number: Int64, at time: Date, _ events: inout [AuditEvent]
  ) async throws -> Bool {
    let (_, _, history, standings, cases) = try await pipeline(
      SQL.lockAppeals(number: number), SQL.lockStandingDecision(number: number), SQL.readDecisions(number: number),
      SQL.readStandingDecision(number: number), SQL.readDecidedCase(number: number, id: decisionID))
    guard let before = standings.first, before.decisionID == decisionID,
      let expiry = history.first(where: { $0.id == decisionID })?.expiresAt, expiry <= time
    else { return false }
    // The wait starts anew.
    var item = cases.first
    item?.since = time
    let ending = DecisionEnding(
      number: number, decision: decisionID, id: UUID(naming: "expiry of \(decisionID.uuidString.lowercased())"),
      reason: nil, decidedBy: "ringfence", time: time, expiry: expiry, item: item, before: before)
    return try await end([ending], role: nil, action: .decisionExpire, &events) == [true]
  }

  /// Ends decisions with their audit events. The appeals that they upheld are open again, and so are the cases that they
  /// ended; without such a case the number is queued. It leaves the queue again where no cause holds.
  /// - Parameter role: the role of the events' author; nil for a program.
  /// - Returns: false where the event was stored already; nothing else changes.
  private func end(
    _ endings: [DecisionEnding], role: Role?, action: AuditAction, _ events: inout [AuditEvent]
  ) async throws -> [Bool] {
    let added = try await add(endings.map { ($0.number, $0.statement) })
    let new = zip(endings, added).filter(\.1).map(\.0)
    guard !new.isEmpty else { return added }
    var restoring = PostgresPipeline()
    let places = new.map { ending in
      let reopened = restoring.add(SQL.reopenAppeals(number: ending.number, decision: ending.decision))
      restoring.add(
        ending.item.map { SQL.restoreCase(number: ending.number, item: $0) }
          ?? SQL.enqueueCases([(ending.number, .threshold)], at: ending.time))
      return (reopened: reopened, standing: restoring.add(SQL.readStandingDecision(number: ending.number)))
    }
    let restored = try await run(restoring)
    let reopened = try places.flatMap { try restored.rows($0.reopened) }
    if !reopened.isEmpty { _ = try await run(SQL.withdrawAnswers(appeals: reopened)) }
    for (ending, place) in zip(new, places) {
      let author = role.map { Actor(name: ending.decidedBy, role: $0) } ?? .program(ending.decidedBy)
      events.append(
        author.did(
          action, to: ending.number, before: ending.before?.fields,
          after: try restored.rows(place.standing).first?.fields, because: ending.reason))
    }
    return added
  }

  /// The decision dated after the one in force, whatever the clock of its server says.
  func following(_ decision: Decision) async throws -> Decision {
    _ = try await run(SQL.lockStandingDecision(number: decision.number))
    var dated = decision
    dated.follow(try await run(SQL.readStandingDecision(number: decision.number)).first)
    return dated
  }

  /// Adds an event to the history and puts into force the decision that results.
  /// - Returns: whether the event is new.
  func add(_ decision: Statement<Int64>, to number: Int64) async throws -> Bool {
    try await add([(number, decision)]) == [true]
  }

  /// As above, for events about different numbers.
  private func add(_ events: [(number: Int64, statement: Statement<Int64>)]) async throws -> [Bool] {
    guard !events.isEmpty else { return [] }
    var pipeline = PostgresPipeline()
    let places = events.map { number, statement in
      pipeline.add(SQL.lockStandingDecision(number: number))
      let place = pipeline.add(statement)
      // Settled twice: where there was no row to lock, another decision may have been committed in between; now there
      // is a row.
      pipeline.add(SQL.settleDecisions(number: number))
      pipeline.add(SQL.settleDecisions(number: number))
      return place
    }
    let results = try await run(pipeline)
    return try places.map { try !results.rows($0).isEmpty }
  }
}

/// The state of a number before a decision about it is recorded.
private struct RecordFacts {
  /// The places of the facts in the results of a pipeline.
  struct Places {
    let history: PostgresPipeline.Place<DecisionEvent>
    let standing: PostgresPipeline.Place<StandingDecision>
    let item: PostgresPipeline.Place<QueueCase>
    let rule: PostgresPipeline.Place<AllowRule>

    /// The decision in force is locked before it is read, so that it cannot change until the transaction ends. The lock
    /// of appeals comes first, as where an appeal is answered.
    init(of number: Int64, in pipeline: inout PostgresPipeline) {
      pipeline.add(SQL.lockAppeals(number: number))
      history = pipeline.add(SQL.readDecisions(number: number))
      pipeline.add(SQL.lockStandingDecision(number: number))
      standing = pipeline.add(SQL.readStandingDecision(number: number))
      item = pipeline.add(SQL.readCase(number: number))
      rule = pipeline.add(SQL.readAllowRule(number: number))
    }
  }

  let history: [DecisionEvent]
  let standing: StandingDecision?
  let item: QueueCase?
  let rule: AllowRule?

  init(_ places: Places, in results: PostgresPipeline.Results) throws {
    history = try results.rows(places.history)
    standing = try results.rows(places.standing).first
    item = try results.rows(places.item).first
    rule = try results.rows(places.rule).first
  }

  /// The outcome before anything is written: `recorded` for a decision that is to be recorded.
  /// - Throws: `RuleViolation`; ``DecisionError/stale``.
  func outcome(
    of decision: Decision, expecting expected: ExpectedDecision, role: Role, answersAppeals: Bool
  ) throws -> DecisionOutcome {
    guard decision.treatment == .allow || PhoneNumber(digits: decision.number)?.isPossible == true else {
      throw RuleViolation(.numberInvalid, field: "number")
    }
    if let known = history.first(where: { $0.id == decision.id }) {
      return known.says(decision) ? .duplicate : .conflict
    }
    try rule?.check(decision, role: role, answersAppeals: answersAppeals)
    if case .this(let id) = expected, standing?.decisionID != id { throw DecisionError.stale }
    return .recorded
  }

  /// The decision as it is stored.
  func dated(_ decision: Decision, expecting expected: ExpectedDecision) -> Decision {
    var dated = decision
    // An answered appeal is not opened again by the clock.
    if rule?.isAppealed == true { dated.expiresAt = nil }
    if case .this = expected { dated.follow(standing) }
    return dated
  }
}

/// The event that ends a decision: a person undoes it, or it expires.
private struct DecisionEnding {
  let number: Int64
  let decision: UUID
  let id: UUID
  let reason: String?
  let decidedBy: String
  let time: Date
  /// Nil for an undoing by a person.
  var expiry: Date?
  /// The case that the decision ended.
  let item: DecidedCase?
  let before: StandingDecision?

  var statement: Statement<Int64> {
    SQL.addUndoing(
      number: number, id: id, undone: decision, reason: reason, by: decidedBy, at: time, expiry: expiry)
  }
}

extension DecisionEvent {
  fileprivate var isDecision: Bool {
    if case .decision = kind { true } else { false }
  }

  /// Whether the event records this decision; the time is not compared, since a retry may have another.
  fileprivate func says(_ decision: Decision) -> Bool {
    kind == .decision(decision.treatment) && label == decision.label && category == decision.category
      && reason == decision.reason
      && note == decision.note && decidedBy == decision.decidedBy
      // An answered appeal is stored without an expiry.
      && (decision.treatment == .allow && expiresAt == nil
        || Decision.lifetime(from: time, to: expiresAt)
          == Decision.lifetime(from: decision.decidedAt, to: decision.expiresAt))
  }
}

extension AllowRule {
  fileprivate func check(_ decision: Decision, role: Role, answersAppeals: Bool) throws(RuleViolation) {
    if decision.treatment == .allow, answersAppeals || !isAppealed {
      try check(reason: decision.reason, role: role)
    } else if isAppealed {
      throw RuleViolation(.appealOpen, field: "appeal")
    }
  }
}

extension Decision {
  /// Dates the decision a microsecond after the one in force where a fast clock has dated that one later.
  fileprivate mutating func follow(_ standing: StandingDecision?) {
    guard let standing, standing.decisionID != id else { return }
    decidedAt = max(decidedAt, standing.decidedAt.addingTimeInterval(0.000_001))
  }

  /// For the audit log.
  fileprivate var fields: [String: String] { auditedFields(treatment, label, category, expiresAt) }
}

extension StandingDecision {
  /// For the audit log.
  fileprivate var fields: [String: String] { auditedFields(treatment, label, category, expiresAt) }
}

extension QueueCase {
  /// The decided case with the seconds since the account opened it, for the audit log and the figures of the team.
  fileprivate func handling(by decision: Decision) -> [String: String] {
    var fields = auditedFields
    if let claim, claim.account == decision.decidedBy, claim.until > decision.decidedAt, let since = claim.since {
      fields["handling_seconds"] = "\(max(0, Int(decision.decidedAt.timeIntervalSince(since).rounded())))"
    }
    return fields
  }
}

private func auditedFields(
  _ treatment: Decision.Treatment, _ label: String?, _ category: ReportCategory?, _ expiresAt: Date?
) -> [String: String] {
  var fields = ["decision": treatment.rawValue]
  fields["label"] = label
  // A block without a category has the one that the reports give.
  fields["category"] = category?.slug ?? (treatment == .block ? "as_reported" : nil)
  fields["expires_at"] = expiresAt.map { Timestamp.format($0) }
  return fields
}
