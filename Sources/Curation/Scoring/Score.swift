public import Foundation

/// What a number's record amounts to at one time: decayed, added up, ready to be judged.
public struct Score: Sendable, Equatable, Codable {
  /// One category's part of it.
  public struct Part: Sendable, Equatable, Codable {
    /// What was said.
    public var category: ReportCategory
    /// Decayed weight, half-life 14 days.
    public var heat: Double
    /// Decayed weight, half-life 125 days.
    public var evidence: Double
    /// Reports that stand.
    public var reports: Int64
    /// Distinct reporters whose present word it is.
    public var reporters: Int
  }

  /// One imported list's part of it.
  public struct List: Sendable, Equatable, Codable {
    /// The list, as an app without a key.
    public var appID: Int32
    /// Rows that complain.
    public var complaints: Int
    /// Distinct days of them, 0 to 64.
    public var days: Int
  }

  /// The moment it is worked out for.
  public var time: Date
  /// Decayed complaints of all toxic categories, half-life 14 days, in fresh complaints of full weight.
  public var heat: Double
  /// The same with a half-life of 125 days.
  public var evidence: Double
  /// Decayed votes for the number, half-life 125 days.
  public var legitimate: Double
  /// Wilson's lower bound over ``evidence`` and ``legitimate``, 0 to 1; see ``Confidence``.
  public var confidence: Double
  /// Distinct reporters whose present word is a complaint.
  public var reporters: Int
  /// Distinct networks of complaints, at least; see ``NetworkSketch``.
  public var networks: Int
  /// Distinct days with a complaint among the last 64; see ``ComplaintDays``.
  public var days: Int
  /// The hottest toxic category; nil when nobody complains.
  public var leading: ReportCategory?
  /// What each category adds, in no order.
  public var parts: [Part]
  /// What each imported list says, in ascending order of its id.
  public var lists: [List]
  /// Decayed calls that phones told of, half-life 14 days.
  public var identifications: Double
  /// Whether the last publication lists the number.
  public var isListed: Bool

  /// - Parameters:
  ///   - record: what is stored.
  ///   - time: the moment to decay it to.
  public init(_ record: NumberRecord, at time: Date) {
    let heatScale = 1 / Decay.heat.scale(at: time)
    let evidenceScale = 1 / Decay.evidence.scale(at: time)
    self.init(record, at: time, heatScale: heatScale, evidenceScale: evidenceScale)
  }

  /// The same with the scales worked out before, for many numbers at one time.
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
    lists = record.sources.map { List(appID: $0.appID, complaints: $0.complaints, days: $0.days.count) }
    identifications = record.identifications * heatScale
    isListed = record.isListed
  }
}
