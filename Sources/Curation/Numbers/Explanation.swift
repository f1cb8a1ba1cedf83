public import Foundation

/// Why a number is listed, or not: the one account that apps, the command line and moderators are given.
///
/// It names no reporter, and of moderators only what they said for everybody.
public struct Explanation: Sendable, Equatable {
  /// Reporters of the number by their weight.
  public struct Weights: Sendable, Equatable {
    /// Reporters with full weight.
    public var full: Int
    /// Reporters with reduced weight: new reporters, and those who were often wrong.
    public var partial: Int
    /// Of ``partial``, those with exactly the weight of a new reporter; see ``ReporterWeight/newcomer``.
    public var new: Int
    /// Reporters without weight.
    public var none: Int

    /// - Parameters: see the properties.
    public init(full: Int = 0, partial: Int = 0, new: Int = 0, none: Int = 0) {
      self.full = full
      self.partial = partial
      self.new = new
      self.none = none
    }
  }

  /// A hold of the number.
  public struct Hold: Sendable, Equatable {
    /// The rule with its figures.
    public var reason: HoldReason
    /// Since when.
    public var heldAt: Date

    /// - Parameters: see the properties.
    public init(reason: HoldReason, heldAt: Date) {
      self.reason = reason
      self.heldAt = heldAt
    }
  }

  /// Where the newest publication has it.
  public struct Listing: Sendable, Equatable {
    /// The category that phones show.
    public var category: ReportCategory
    /// The first publication that listed it without a break.
    public var serial: Int64
    /// When that was.
    public var listedAt: Date
    /// Whether it may be blocked, or is only named.
    public var treatment: ListedNumber.Treatment

    /// - Parameters: see the properties.
    public init(
      category: ReportCategory, serial: Int64, listedAt: Date, treatment: ListedNumber.Treatment = .block
    ) {
      self.category = category
      self.serial = serial
      self.listedAt = listedAt
      self.treatment = treatment
    }
  }

  /// E.164 digits.
  public var number: Int64
  /// The moment it is weighed at.
  public var time: Date
  /// ISO 3166 alpha-2; nil where the number has no country.
  public var country: String?
  /// The score of its reports; nil when there is no report.
  public var score: Score?
  /// The score compared with the thresholds, and the verdict.
  public var evaluation: Evaluation?
  /// When the first report was said.
  public var firstReportedAt: Date?
  /// When the last report was said.
  public var lastReportedAt: Date?
  /// The weights of its reporters.
  public var weights = Weights()
  /// Names of the imported lists that speak of it.
  public var lists: [Int32: String] = [:]
  /// The decision that stands, and why it was made.
  public var decision: StandingDecision?
  /// The reason of the decision, for everybody.
  public var decisionReason: String?
  /// Whether that decision is a revocation: no pack holds the number, not even under a directory's name.
  public var isRevoked = false
  /// The hold; nil also when a decision has ended it.
  public var hold: Hold?
  /// Why it may never be published.
  public var protection: ProtectionReason?
  /// Where the newest publication has it; nil where it has not.
  public var listing: Listing?
  /// The approved range that it lies in.
  public var range: NumberRange?
  /// Appeals that nobody has answered.
  public var openAppeals = 0
  /// Whether it is identified and not blocked; see ``Spoofing``.
  public var isVictim = false

  /// - Parameters: see the properties.
  public init(number: Int64, time: Date) {
    self.number = number
    self.time = time
  }

  /// The verdict, also for a number without reports.
  public var verdict: Verdict {
    if protection != nil { return .protected }
    if decision != nil { return .decided }
    if hold != nil { return .held }
    return evaluation?.verdict ?? .quiet
  }
}
