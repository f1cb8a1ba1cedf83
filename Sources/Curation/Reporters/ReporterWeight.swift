// SPDX-License-Identifier: Apache-2.0

public import Foundation

public enum ReporterWeight {
  /// The weight of a newcomer: half of an established reporter's.
  public static let newcomer = 0.5
}

/// The weight of a reporter's vote: **weight = base × accuracy**, and 0 for a reporter who took part in a brigade.
///
/// *base* is 1 for an established reporter. For all others it is the weight of ``AttestationRule``, by what the reporter's
/// phone has attested; stored weights of these have ``newcomer`` in its place, and reports get the rule's part of it.
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
  /// The least age of an established reporter's first report, or of the account for which the app's server vouches, in
  /// seconds: 14 days.
  public static let establishedAge: TimeInterval = 14 * 86_400
  /// The least number of reporters of the numbers that establish a reporter: a number without other reports establishes no
  /// reporter.
  public static let establishedSharers = 3
  /// The least time between the arrivals of an established reporter's reports on two of these numbers, in seconds: 7 days.
  /// Accounts that were made for one purpose report within a few days.
  public static let establishedActiveTime: TimeInterval = 7 * 86_400
  /// The least number of compared decisions for the accuracy to differ from 1.
  public static let minJudged = 5

  /// From 0 to 1.
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
  public var reporter: Reporter
  /// When the first report that is not withdrawn arrived, by the server's clock; or, where the app's server vouches for
  /// an earlier day since which it knows the reporter, the start of that day.
  public var firstReceivedAt: Date
  /// Distinct numbers of reports that are not withdrawn, of those that ``ReporterWeight/establishedSharers`` reporters
  /// have reported.
  public var numbers: Int
  /// When the reporter is established: ``ReporterWeight/establishedAge`` after ``firstReceivedAt``, and not before a
  /// report on a second of these numbers, ``ReporterWeight/establishedActiveTime`` after the first; nil without one.
  public var establishedAt: Date?
  /// Number of decisions on numbers that the reporter had reported before; see ``ReporterWeight``.
  public var judged: Int
  public var agreed: Int
  /// Number of bursts that the reporter took part in against a number that a moderator then allowed.
  public var brigades: Int

  public init(
    reporter: Reporter, firstReceivedAt: Date, numbers: Int, establishedAt: Date?, judged: Int, agreed: Int,
    brigades: Int
  ) {
    self.reporter = reporter
    self.firstReceivedAt = firstReceivedAt
    self.numbers = numbers
    self.establishedAt = establishedAt
    self.judged = judged
    self.agreed = agreed
    self.brigades = brigades
  }

  /// Whether the reporter is established at `time`: the first report, or the account for which the app's server vouches,
  /// is two weeks old or older, and over a week or more the reporter named numbers that others reported as well.
  public func isEstablished(at time: Date) -> Bool {
    establishedAt.map { $0 <= time } ?? false
  }
}
