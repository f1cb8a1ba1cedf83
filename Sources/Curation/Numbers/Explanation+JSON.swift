// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The JSON of the API and the command line; keys in snake_case, times as RFC 3339, absent where there is no value. Figures
/// have at most four decimal digits.
/// Localization adds the texts of the lines.
extension Explanation: Encodable {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private struct Part: Encodable {
    let category: String
    let reports: Int64
    let reporters: Int
    let heat: Double
    let evidence: Double
  }

  private struct Asked: Encodable {
    let condition: String
    let list: String?
    let have: Double
    let need: Double
    let met: Bool
  }

  /// All figures, and ``lines`` as codes with values.
  public func encode(to encoder: any Encoder) throws {
    var json = encoder.container(keyedBy: Key.self)
    try json.encode("+\(number)", forKey: Key("number"))
    try json.encode(Self.time(time), forKey: Key("as_of"))
    try json.encode(verdict.rawValue, forKey: Key("verdict"))
    try json.encode(lines, forKey: Key("explanation"))
    try json.encodeIfPresent(country, forKey: Key("country"))
    try json.encodeIfPresent(evaluation?.category?.slug, forKey: Key("category"))
    try json.encodeIfPresent(protection, forKey: Key("protected"))
    if let score { try encode(score, into: &json) }
    if let evaluation {
      try json.encode(evaluation.conditions.map(asked), forKey: Key("conditions"))
      try json.encode(evaluation.identifyConditions.map(asked), forKey: Key("label_conditions"))
      if evaluation.isCorroborated { try json.encode(true, forKey: Key("corroborated")) }
    }
    if let decision {
      var nested = json.nestedContainer(keyedBy: Key.self, forKey: Key("decision"))
      try nested.encode(decision.treatment.rawValue, forKey: Key("decision"))
      try nested.encodeIfPresent(decision.label, forKey: Key("label"))
      try nested.encodeIfPresent(decision.category?.slug, forKey: Key("category"))
      try nested.encodeIfPresent(decisionReason, forKey: Key("reason"))
      try nested.encode(Self.time(decision.decidedAt), forKey: Key("decided_at"))
      try nested.encodeIfPresent(decision.expiresAt.map(Self.time), forKey: Key("expires_at"))
      if isRevoked { try nested.encode(true, forKey: Key("revoked")) }
    }
    if let hold {
      var nested = json.nestedContainer(keyedBy: Key.self, forKey: Key("hold"))
      try nested.encode(hold.reason, forKey: Key("reason"))
      try nested.encode(Self.time(hold.heldAt), forKey: Key("held_at"))
      try nested.encodeIfPresent(hold.reportCeiling?.rawValue, forKey: Key("ceiling"))
    }
    if hold == nil, let usual {
      var nested = json.nestedContainer(keyedBy: Key.self, forKey: Key("usual_burst"))
      try nested.encode(usual.burst, forKey: Key("reason"))
      try nested.encode(Self.time(usual.judgedAt), forKey: Key("judged_at"))
    }
    if let listing {
      var nested = json.nestedContainer(keyedBy: Key.self, forKey: Key("listed"))
      try nested.encode(listing.category.slug, forKey: Key("category"))
      try nested.encode(listing.serial, forKey: Key("serial"))
      try nested.encode(Self.time(listing.listedAt), forKey: Key("since"))
      try nested.encode(mayBlock, forKey: Key("block"))
    }
    try json.encodeIfPresent(statement, forKey: Key("statement"))
    try json.encodeIfPresent(range?.range.text, forKey: Key("range"))
    if openAppeals > 0 { try json.encode(openAppeals, forKey: Key("open_appeals")) }
    if isVictim { try json.encode(true, forKey: Key("spoofed")) }
    if let calls = score?.calls, calls.failed + calls.passed > 0 {
      var nested = json.nestedContainer(keyedBy: Key.self, forKey: Key("verification"))
      try nested.encode(calls.failed, forKey: Key("failed"))
      try nested.encode(calls.passed, forKey: Key("passed"))
      try nested.encode(calls.isMisused, forKey: Key("misused"))
    }
  }

  private func asked(_ condition: ListingCondition) -> Asked {
    Asked(
      condition: condition.kind.rawValue, list: condition.source.flatMap { lists[$0] }, have: condition.have.readable,
      need: condition.need.readable, met: condition.isMet)
  }

  private func encode(_ score: Score, into json: inout KeyedEncodingContainer<Key>) throws {
    try json.encode(score.heat.readable, forKey: Key("heat"))
    try json.encode(score.evidence.readable, forKey: Key("evidence"))
    try json.encode(score.legitimate.readable, forKey: Key("legitimate"))
    try json.encode(score.confidence.readable, forKey: Key("confidence"))
    try json.encode(score.reporters, forKey: Key("reporters"))
    try json.encode(score.networks, forKey: Key("networks"))
    try json.encode(score.days, forKey: Key("days"))
    try json.encode(
      score.parts.sorted { $0.category.rawValue < $1.category.rawValue }.map { part in
        Part(
          category: part.category.slug, reports: part.reports, reporters: part.reporters,
          heat: part.heat.readable, evidence: part.evidence.readable)
      }, forKey: Key("categories"))
    var nested = json.nestedContainer(keyedBy: Key.self, forKey: Key("weights"))
    try nested.encode(weights.full, forKey: Key("full"))
    try nested.encode(weights.partial, forKey: Key("partial"))
    try nested.encode(weights.none, forKey: Key("none"))
  }

  private static func time(_ date: Date) -> String { date.ISO8601Format() }
}
