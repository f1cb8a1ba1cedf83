public import Foundation

/// The weight of a reporter's word: **weight = base × accuracy**, and 0 for whoever was caught in a brigade.
///
/// *base* is 1 for an established reporter and ``newcomer`` for everybody else.
///
/// *accuracy* compares what the reporter said of numbers with what moderators decided about them later. A decision to block,
/// or to identify as a nuisance, agrees with a complaint; a decision to allow agrees with a vote for the number; a decision that
/// only gives a number a name agrees with nobody and is not counted. Words that came after the decision are not counted
/// either: whoever repeats what is known earns nothing. With fewer than ``leastJudged`` decisions accuracy is 1; from then
/// on it is the upper bound of the Wilson interval for agreed of judged, so that doubt is to the reporter's favour:
/// 5 of 5 and 20 of 20 are 1, 18 of 20 is 0.97, 10 of 20 is 0.70, 0 of 5 is 0.43, 0 of 20 is 0.16.
/// Source of the interval: see ``Confidence``.
///
/// *caught*: the reporter's complaint was one of those that a rule against brigades held a number for, and a moderator
/// decided to allow that number. Undoing the decision undoes this too.
extension ReporterWeight {
  /// How long ago an established reporter has spoken first, in seconds: 14 days.
  public static let establishedAge: TimeInterval = 14 * 86_400
  /// Of how many numbers an established reporter has spoken at least.
  public static let establishedNumbers = 3
  /// The fewest decisions that say something about a reporter.
  public static let leastJudged = 5

  /// What a reporter's word weighs at `time`, 0 to 1.
  public static func weight(of record: ReporterRecord, at time: Date) -> Double {
    guard record.brigades == 0 else { return 0 }
    let base = record.isEstablished(at: time) ? 1 : newcomer
    return base * accuracy(agreed: record.agreed, judged: record.judged)
  }

  /// The factor for `agreed` of `judged` decisions, 0 to 1; 1 with fewer than ``leastJudged``.
  public static func accuracy(agreed: Int, judged: Int) -> Double {
    guard judged >= leastJudged else { return 1 }
    // The upper bound for what agreed is what the lower bound for what did not agree leaves.
    return 1 - Confidence.wilsonLowerBound(toxic: Double(judged - agreed), legitimate: Double(agreed))
  }
}
