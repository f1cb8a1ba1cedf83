// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage
import Timestamps

/// A threshold as printed; the keys of JSON are the columns.
struct ThresholdRow: Encodable {
  let category: String
  let country: String?
  let reviewHeat: Double
  let enterHeat: Double
  let enterEvidence: Double
  let enterConfidence: Double
  let enterReporters: Int
  let enterNetworks: Int
  let enterDays: Int
  let leaveHeat: Double
  let leaveEvidence: Double
  let leaveConfidence: Double
  let leaveReporters: Int
  let leaveNetworks: Int
  let leaveDays: Int

  init(_ threshold: Threshold) {
    category = threshold.category.slug
    country = threshold.country
    reviewHeat = threshold.reviewHeat
    (enterHeat, enterEvidence) = (threshold.enter.heat, threshold.enter.evidence)
    (enterConfidence, enterReporters) = (threshold.enter.confidence, threshold.enter.reporters)
    (enterNetworks, enterDays) = (threshold.enter.networks, threshold.enter.days)
    (leaveHeat, leaveEvidence) = (threshold.leave.heat, threshold.leave.evidence)
    (leaveConfidence, leaveReporters) = (threshold.leave.confidence, threshold.leave.reporters)
    (leaveNetworks, leaveDays) = (threshold.leave.networks, threshold.leave.days)
  }

  static let columns = [
    "category", "country", "review_heat", "enter_heat", "enter_evidence", "enter_confidence", "enter_reporters",
    "enter_networks", "enter_days", "leave_heat", "leave_evidence", "leave_confidence", "leave_reporters",
    "leave_networks", "leave_days",
  ]

  var cells: [String] {
    [
      category, country ?? "all", plain(reviewHeat), plain(enterHeat), plain(enterEvidence), plain(enterConfidence),
      "\(enterReporters)", "\(enterNetworks)", "\(enterDays)", plain(leaveHeat), plain(leaveEvidence),
      plain(leaveConfidence), "\(leaveReporters)", "\(leaveNetworks)", "\(leaveDays)",
    ]
  }
}

/// A list's rule as printed.
struct SourceRow: Encodable {
  let list: String
  let weight: Double
  let enterComplaints: Int
  let enterDays: Int
  let leaveComplaints: Int
  let leaveDays: Int

  init(_ rule: SourceRule, _ lists: [App]) {
    list = rule.name(among: lists)
    weight = rule.weight
    (enterComplaints, enterDays) = (rule.enter.complaints, rule.enter.days)
    (leaveComplaints, leaveDays) = (rule.leave.complaints, rule.leave.days)
  }

  static let columns = ["list", "weight", "enter_complaints", "enter_days", "leave_complaints", "leave_days"]

  var cells: [String] {
    [list, plain(weight), "\(enterComplaints)", "\(enterDays)", "\(leaveComplaints)", "\(leaveDays)"]
  }
}

/// A version of the thresholds in JSON.
struct ThresholdsJSON: Encodable {
  struct Version: Encodable {
    let version: Int32
    let savedAt: String
    let savedBy: String
    /// Nil for the thresholds shipped with Ringfence.
    let reason: String?

    init(_ version: ThresholdVersion) {
      self.version = version.version
      savedAt = Timestamp.format(version.savedAt)
      savedBy = version.savedBy
      reason = version.reason
    }
  }

  let version: Version
  let thresholds: [ThresholdRow]
  let sources: [SourceRow]

  init(_ version: ThresholdVersion, _ set: ThresholdSet, _ lists: [App]) {
    self.version = Version(version)
    thresholds = set.thresholds.map(ThresholdRow.init)
    sources = set.sources.map { SourceRow($0, lists) }
  }

  func text() throws -> String { try HouseJSON.text(self) }
}

/// Writes the command line's JSON: indented, with sorted keys in snake_case.
enum HouseJSON {
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

/// A figure without trailing zeros, with at most four decimal digits.
func plain(_ value: Double) -> String {
  let text = String(format: "%.4f", value)
  let trimmed = text.replacing(/0+$/, with: "")
  return trimmed.hasSuffix(".") ? String(trimmed.dropLast()) : trimmed
}
