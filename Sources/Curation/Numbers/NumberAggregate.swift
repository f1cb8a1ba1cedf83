// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The aggregates of one number: stored heat and evidence, and counts.
public struct NumberAggregate: Sendable, Equatable {
  /// One category's part of it.
  public struct Part: Sendable, Equatable {
    /// The category of the reports.
    public var category: ReportCategory
    /// Stored heat; read it through ``Decay``.
    public var heat: Double
    /// Stored evidence; read it through ``Decay``.
    public var evidence: Double
    /// Reports ever accepted in this category.
    public var reports: Int64
    /// Distinct reporters whose vote is this category.
    public var reporters: Int32

    /// - Parameters: see the properties.
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

  /// The category that phones show: the hottest toxic one; of equally hot ones that with the smallest id.
  public var leading: ReportCategory? {
    toxic.filter { $0.heat > 0 }
      .min { ($1.heat, $0.category.rawValue) < ($0.heat, $1.category.rawValue) }?.category
  }

  /// Wilson's lower bound over decayed evidence at `time`, 0 to 1.
  public func confidence(at time: Date) -> Double {
    let value = { (parts: [Part]) in
      Decay.evidence.value(ofStoredSum: parts.reduce(0) { $0 + $1.evidence }, at: time)
    }
    return Confidence.wilsonLowerBound(
      toxic: value(toxic), legitimate: value(parts.filter { !$0.category.isToxic }))
  }
}
