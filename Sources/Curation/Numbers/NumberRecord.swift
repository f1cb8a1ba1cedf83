// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The stored data of a number that decides its listing.
public struct NumberRecord: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Aggregates by category.
  public var standing: NumberAggregate
  /// Days on which complaints of reporters arrived; lists have their own.
  public var days: ComplaintDays
  public var networks: NetworkSketch
  /// The counts of each imported list, in ascending order of the list's id.
  public var sources: [SourceTally]
  /// Stored heat of calls that phones counted.
  public var identifications: Double
  /// Whether the last publication lists it because of reports.
  public var isListed: Bool
  /// Whether it also blocks it.
  public var isBlocked: Bool
  public var firstReportedAt: Date?
  public var lastReportedAt: Date?
  public var calls = VerifiedCalls()
  /// Whether a list and an imported directory name it.
  public var isNamed = false

  /// By default a listed number is blocked.
  public init(
    number: Int64, standing: NumberAggregate, days: ComplaintDays = ComplaintDays(),
    networks: NetworkSketch = NetworkSketch(), sources: [SourceTally] = [], identifications: Double = 0,
    isListed: Bool = false, isBlocked: Bool? = nil, firstReportedAt: Date? = nil, lastReportedAt: Date? = nil
  ) {
    self.number = number
    self.standing = standing
    self.days = days
    self.networks = networks
    self.sources = sources
    self.identifications = identifications
    self.isListed = isListed
    self.isBlocked = isBlocked ?? isListed
    self.firstReportedAt = firstReportedAt
    self.lastReportedAt = lastReportedAt
  }

  /// The ceiling of reports that no review judges: they keep what the last publication made of them. A source may have
  /// blocked a number that it names.
  public var unjudgedCeiling: SourceCeiling { isBlocked && sources.isEmpty ? .block : isListed ? .identify : .nothing }
}

/// The aggregates of one number: stored heat and evidence, and counts.
public struct NumberAggregate: Sendable, Equatable {
  /// One category's part of it.
  public struct Part: Sendable, Equatable {
    public var category: ReportCategory
    /// Stored heat; read it through ``Decay``.
    public var heat: Double
    /// Stored evidence; read it through ``Decay``.
    public var evidence: Double
    /// Reports ever accepted in this category.
    public var reports: Int64
    /// Distinct reporters whose vote is this category.
    public var reporters: Int32

    public init(category: ReportCategory, heat: Double, evidence: Double, reports: Int64, reporters: Int32) {
      self.category = category
      self.heat = heat
      self.evidence = evidence
      self.reports = reports
      self.reporters = reporters
    }
  }

  /// One part for each reported category, in no order.
  public var parts: [Part]

  /// - Parameter parts: at most one for each category.
  public init(parts: [Part]) {
    self.parts = parts
  }

  private var toxic: [Part] { parts.filter(\.category.isToxic) }

  /// Stored heat of all complaints.
  public var heat: Double { toxic.reduce(0) { $0 + $1.heat } }

  /// Reports ever accepted, including "legitimate".
  public var reports: Int64 { parts.reduce(0) { $0 + $1.reports } }

  /// The category that phones show: the toxic one with the most heat; of equally hot ones that with the smallest id.
  public var leading: ReportCategory? {
    toxic.filter { $0.heat > 0 }
      .min { ($1.heat, $0.category.rawValue) < ($0.heat, $1.category.rawValue) }?.category
  }
}

/// The counts of one imported list about a number.
public struct SourceTally: Sendable, Equatable {
  /// The list's id in `apps`.
  public var appID: Int32
  /// Number of complaining rows that are not withdrawn.
  public var complaints: Int
  /// Stored heat of these rows, a part of the number's.
  public var heat: Double
  /// Stored evidence of these rows, a part of the number's.
  public var evidence: Double
  public var days: ComplaintDays

  public init(appID: Int32, complaints: Int, heat: Double, evidence: Double, days: ComplaintDays) {
    self.appID = appID
    self.complaints = complaints
    self.heat = heat
    self.evidence = evidence
    self.days = days
  }
}

extension [Int64] {
  /// The index of the first of these ascending numbers that is `number` or greater; `count` where there is none.
  package func firstPlace(atLeast number: Int64) -> Int {
    withUnsafeBufferPointer { sorted in
      var low = 0
      var count = sorted.count
      while count > 0 {
        let half = count / 2
        if sorted[low + half] < number {
          low += half + 1
          count -= half + 1
        } else {
          count = half
        }
      }
      return low
    }
  }

  /// The numbers of this ascending array that are in a range.
  package func all(in range: ClosedRange<Int64>) -> ArraySlice<Int64> {
    self[firstPlace(atLeast: range.lowerBound)..<firstPlace(atLeast: range.upperBound + 1)]
  }
}
