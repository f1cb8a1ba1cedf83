// SPDX-License-Identifier: Apache-2.0

public import Foundation

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

  /// - Parameters: see the properties.
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
