// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PhoneNumbers

/// The score of a number's record at one time: decayed and added up, ready for evaluation.
public struct Score: Sendable, Equatable, Codable {
  /// One category's part of it.
  public struct Part: Sendable, Equatable, Codable {
    public var category: ReportCategory
    /// Decayed weight, half-life 14 days.
    public var heat: Double
    /// Decayed weight, half-life 125 days.
    public var evidence: Double
    /// Reports that are not withdrawn.
    public var reports: Int64
    /// Distinct reporters whose vote is this category.
    public var reporters: Int
  }

  /// One imported list's part of it.
  public struct List: Sendable, Equatable, Codable {
    /// The list's id in `apps`.
    public var appID: Int32
    /// Number of complaining rows.
    public var complaints: Int
    /// Their decayed weight, half-life 14 days; a part of the number's heat.
    public var heat: Double
    /// Their decayed weight, half-life 125 days; a part of the number's evidence.
    public var evidence: Double
    /// Distinct days of them, 0 to 64.
    public var days: Int
  }

  public var time: Date
  /// Decayed complaints of all toxic categories, half-life 14 days, in units of a fresh complaint of full weight.
  public var heat: Double
  /// Decayed complaints of all toxic categories, half-life 125 days, in the same unit.
  public var evidence: Double
  /// Decayed weight of "legitimate", half-life 125 days.
  public var legitimate: Double
  /// Wilson's lower bound over ``evidence`` and ``legitimate``, 0 to 1; see ``Confidence``.
  public var confidence: Double
  /// Distinct reporters whose vote is a complaint.
  public var reporters: Int
  /// Distinct networks of complaints, a lower bound; see ``NetworkSketch``.
  public var networks: Int
  /// Distinct days on which reporters' complaints arrived, among the last 64; see ``ComplaintDays``.
  public var days: Int
  /// The toxic category with the most heat; nil without complaints.
  public var leading: ReportCategory?
  /// The part of each category, in no order.
  public var parts: [Part]
  /// The counts of each imported list, in ascending order of its id.
  public var lists: [List]
  /// Decayed calls that phones counted, half-life 14 days.
  public var identifications: Double
  /// Whether the last publication lists the number.
  public var isListed: Bool
  /// Whether it also blocks it.
  public var isBlocked: Bool
  /// Whether lists name a number that belongs to no place, such as a toll-free one; see ``SourceRule/blocksShared``.
  public var isShared: Bool
  /// Whether a list and an imported directory name the number, so that lists alone label it.
  public var isNamed: Bool
  public var calls: VerifiedCalls

  /// - Parameter time: the time to which values decay.
  public init(_ record: NumberRecord, at time: Date) {
    let heatScale = 1 / Decay.heat.scale(at: time)
    let evidenceScale = 1 / Decay.evidence.scale(at: time)
    self.init(record, at: time, heatScale: heatScale, evidenceScale: evidenceScale)
  }

  /// The score with scales that are calculated once for many numbers.
  init(_ record: NumberRecord, at time: Date, heatScale: Double, evidenceScale: Double) {
    self.time = time
    parts = record.standing.parts.map { part in
      Part(
        category: part.category, heat: part.heat * heatScale, evidence: part.evidence * evidenceScale,
        reports: part.reports, reporters: Int(part.reporters))
    }
    (heat, evidence, legitimate, reporters) = (0, 0, 0, 0)
    for part in parts {
      if part.category.isToxic {
        heat += part.heat
        evidence += part.evidence
        reporters += part.reporters
      } else {
        legitimate += part.evidence
      }
    }
    confidence = Confidence.wilsonLowerBound(toxic: evidence, legitimate: legitimate)
    networks = record.networks.count
    days = record.days.count
    leading = record.standing.leading
    lists = record.sources.map {
      List(
        appID: $0.appID, complaints: $0.complaints, heat: $0.heat * heatScale, evidence: $0.evidence * evidenceScale,
        days: $0.days.count)
    }
    identifications = record.identifications * heatScale
    isListed = record.isListed
    isBlocked = record.isBlocked
    isShared = !lists.isEmpty && Self.isShared(record.number)
    (isNamed, calls) = (record.isNamed, record.calls)
  }

  /// Whether a number is for callers of a whole country, and so one that callers know and may show.
  private static func isShared(_ number: Int64) -> Bool {
    switch PhoneNumber(digits: number)?.kind {
    case .tollFree, .sharedCost, .premiumRate, .universalAccess: true
    default: false
    }
  }
}
