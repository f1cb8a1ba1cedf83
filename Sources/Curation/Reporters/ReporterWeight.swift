// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The weight of reporters' votes.
public enum ReporterWeight {
  /// The weight of a newcomer: half of an established reporter's.
  public static let newcomer = 0.5
}

/// The weight of a reporter's vote: **weight = base × accuracy**, and 0 for a reporter who took part in a brigade.
///
/// *base* is 1 for an established reporter and ``newcomer`` for all others.
///
/// *accuracy* compares the reporter's votes with later decisions of moderators. A decision to block, or to identify as
/// a nuisance, agrees with a complaint; a decision to allow agrees with "legitimate"; a decision that only names a
/// number is not counted. Votes after the decision are not counted either, so that repeating known facts earns nothing.
/// With fewer than ``minJudged`` decisions accuracy is 1; from then on it is the upper bound of the Wilson interval
/// for agreed of judged, so that doubt favors the reporter: 5 of 5 and 20 of 20 are 1, 18 of 20 is 0.97, 10 of 20 is
/// 0.70, 0 of 5 is 0.43, 0 of 20 is 0.16. Source of the interval: see ``Confidence``.
///
/// A reporter took part in a brigade when the complaint was one of those for which a rule against brigading held a
/// number, and a moderator allowed that number. Undoing the decision undoes this too.
extension ReporterWeight {
  /// The least age of an established reporter's first report, in seconds: 14 days.
  public static let establishedAge: TimeInterval = 14 * 86_400
  /// The least number of numbers that an established reporter has reported.
  public static let establishedNumbers = 3
  /// The least number of compared decisions for the accuracy to differ from 1.
  public static let minJudged = 5

  /// A reporter's weight at `time`, 0 to 1.
  public static func weight(of record: ReporterRecord, at time: Date) -> Double {
    guard record.brigades == 0 else { return 0 }
    let base = record.isEstablished(at: time) ? 1 : newcomer
    return base * accuracy(agreed: record.agreed, judged: record.judged)
  }

  /// The factor for `agreed` of `judged` decisions, 0 to 1; 1 with fewer than ``minJudged``.
  public static func accuracy(agreed: Int, judged: Int) -> Double {
    guard judged >= minJudged else { return 1 }
    // The upper bound for agreements is 1 minus the lower bound for disagreements.
    return 1 - Confidence.wilsonLowerBound(toxic: Double(judged - agreed), legitimate: Double(agreed))
  }
}

/// A reporter's record, which can be recounted from reports, decisions and holds.
public struct ReporterRecord: Sendable, Equatable {
  /// The reporter.
  public var reporter: Reporter
  /// When the first report that is not withdrawn arrived, by the server's clock.
  public var firstReceivedAt: Date
  /// Distinct numbers of reports that are not withdrawn.
  public var numbers: Int
  /// Number of decisions on numbers that the reporter had reported before; see ``ReporterWeight``.
  public var judged: Int
  /// Number of those decisions that agreed with the reporter.
  public var agreed: Int
  /// Number of bursts that the reporter took part in against a number that a moderator then allowed.
  public var brigades: Int

  /// Creates a value from its properties.
  public init(reporter: Reporter, firstReceivedAt: Date, numbers: Int, judged: Int, agreed: Int, brigades: Int) {
    self.reporter = reporter
    self.firstReceivedAt = firstReceivedAt
    self.numbers = numbers
    self.judged = judged
    self.agreed = agreed
    self.brigades = brigades
  }

  /// Whether the reporter is established at `time`: the first report is two weeks old or older, and three numbers or
  /// more were reported.
  public func isEstablished(at time: Date) -> Bool {
    numbers >= ReporterWeight.establishedNumbers
      && firstReceivedAt <= time.addingTimeInterval(-ReporterWeight.establishedAge)
  }
}
