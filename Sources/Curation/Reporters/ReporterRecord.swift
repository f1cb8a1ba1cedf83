public import Foundation

/// What is known of a reporter; everything can be worked out again from reports, decisions and holds.
public struct ReporterRecord: Sendable, Equatable {
  /// Who.
  public var reporter: Reporter
  /// When the first report that stands arrived, by our clock.
  public var firstReceivedAt: Date
  /// Distinct numbers of reports that stand.
  public var numbers: Int
  /// Decisions on numbers that the reporter had spoken of before; see ``ReporterWeight``.
  public var judged: Int
  /// Those that agreed with the reporter.
  public var agreed: Int
  /// Bursts of complaints that the reporter had a part in, and a moderator decided the number to be fine.
  public var brigades: Int

  /// - Parameters: see the properties.
  public init(reporter: Reporter, firstReceivedAt: Date, numbers: Int, judged: Int, agreed: Int, brigades: Int) {
    self.reporter = reporter
    self.firstReceivedAt = firstReceivedAt
    self.numbers = numbers
    self.judged = judged
    self.agreed = agreed
    self.brigades = brigades
  }

  /// Whether the reporter is no newcomer at `time`: spoke first two weeks ago or longer, and of three numbers or more.
  public func isEstablished(at time: Date) -> Bool {
    numbers >= ReporterWeight.establishedNumbers
      && firstReceivedAt <= time.addingTimeInterval(-ReporterWeight.establishedAge)
  }
}
