public import Curation
public import Foundation

/// A number that is hot enough for a moderator to look at.
public struct WatchedNumber: Sendable, Equatable {
  /// E.164 digits.
  public let number: Int64
  /// The hottest toxic category, which a phone names.
  public let category: ReportCategory
  /// Decayed complaints at the time asked for.
  public let heat: Double
  /// Wilson's lower bound, 0 to 1.
  public let confidence: Double
  /// Reports that stand.
  public let reports: Int64
  /// Distinct reporters whose present word is a complaint.
  public let reporters: Int
  /// Time of the newest report.
  public let lastReportedAt: Date
  /// What is to become of it.
  public let verdict: Verdict

  /// Nil when it is colder than its threshold's watch heat.
  init?(
    _ record: NumberRecord, at time: Date, by thresholds: ThresholdSet,
    in circumstances: Circumstances = Circumstances(), country: () -> String?
  ) {
    let score = Score(record, at: time)
    let judgement = score.judge(by: thresholds, in: circumstances, country: country)
    guard let category = judgement.category, let threshold = judgement.threshold, score.heat >= threshold.watchHeat
    else { return nil }
    number = record.number
    self.category = category
    heat = score.heat
    confidence = score.confidence
    reports = record.standing.reports
    reporters = score.reporters
    lastReportedAt = record.lastReportedAt ?? time
    verdict = judgement.verdict
  }
}
