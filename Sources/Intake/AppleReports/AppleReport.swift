// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
public import Foundation
import PhoneNumbers
import Support

/// A report of Apple's reporting extension, with what the server uses of it.
public struct AppleReport: Sendable, Equatable {
  public enum Drop: String, Error, CaseIterable {
    /// The sender is a short code, a name or an e-mail address.
    case notANumber = "not_a_number"
    /// The person reported nothing, or the category is unknown.
    case noCategory = "no_category"
  }

  let number: PhoneNumber
  let category: ReportCategory
  let reportID: UUID?
  let reportedAt: Date

  /// - Parameter now: the time of arrival, for a report without a plausible time.
  public init(_ values: [String: AppleValue], by map: AppleFieldMap, at now: Date) throws(Drop) {
    func value(_ name: String?) -> AppleValue? { name.flatMap { values[$0] } }
    guard let category = Self.category(values, by: map) else { throw .noCategory }
    guard let number = AppleFieldMap.number(values[map.number], region: map.region) else { throw .notANumber }
    self.number = number
    self.category = category
    reportID = value(map.reportID)?.shortText.flatMap(UUID.init(uuidString:))
    let given = value(map.reportedAt)?.shortText.flatMap { Timestamp.parse($0) }
    let range = now - ReportSubmission.maxAge + 60...now + ReportSubmission.clockLeeway
    reportedAt = given.flatMap { range.contains($0) ? $0 : nil } ?? now
  }

  private enum Action { case nothing, legitimate, junk }

  /// Names of `ILClassificationAction`, in the forms that apps use.
  private static let actions: [String: Action] = [
    "none": .nothing, "notjunk": .legitimate, "reportnotjunk": .legitimate, "junk": .junk, "reportjunk": .junk,
    "block": .junk, "junkandblocksender": .junk, "reportjunkandblocksender": .junk,
  ]

  private static func category(_ values: [String: AppleValue], by map: AppleFieldMap) -> ReportCategory? {
    func value(_ name: String?) -> AppleValue? { name.flatMap { values[$0] } }
    if let mark = value(map.legitimate) {
      // An unreadable value may belong to a wanted call, which must not become a complaint.
      guard let isLegitimate = mark.isTrue else { return nil }
      if isLegitimate { return .legitimate }
    }
    let action = value(map.action)?.shortText.flatMap { text in
      actions[text.lowercased().filter { $0 != "_" && $0 != "-" }]
    }
    switch action {
    case .nothing: return nil
    case .legitimate: return .legitimate
    case .junk, nil: break
    }
    if let name = value(map.category)?.shortText {
      let slug = map.categories.isEmpty ? name : map.categories[name]
      if let category = slug.flatMap(ReportCategory.init(slug:)) { return category }
    }
    if let standard = map.standardCategory { return ReportCategory(slug: standard) }
    return action == .junk ? .other : nil
  }

  /// The report for the intake.
  ///
  /// A report without an id gets one from reporter, number, category and day, so that a repeated request counts once.
  /// - Parameter reporter: the app's name for the reporter.
  package func report(by reporter: String, appID: Int32) -> CheckedReport {
    CheckedReport(
      number, category: category, reporter: reporter,
      reportID: reportID ?? derivedID(reporter: reporter, appID: appID), reportedAt: reportedAt)
  }

  private func derivedID(reporter: String, appID: Int32) -> UUID {
    let day = Int(reportedAt.timeIntervalSince1970 / 86_400)
    let text = "\(appID)\n\(reporter)\n\(number.e164)\n\(category.slug)\n\(day)"
    var bytes = Array(SHA256.hash(data: Data(text.utf8)).prefix(16))
    // A UUID of version 8 (RFC 9562).
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}

/// The apps whose reporting extensions and message filters use this server.
public struct AppleReportSettings: Sendable, Equatable {
  /// Identifiers such as `TEAMID1234.org.example.app`, of apps and extensions that report.
  public var reportingApps: [String]
  /// Identifiers of apps and extensions that filter messages; empty refuses their requests.
  public var filteringApps: [String]
  /// The names of members by app; the first map whose number a dictionary has applies.
  public var maps: [AppleFieldMap]

  /// - Parameter maps: further maps, which precede the built-in ones.
  public init(reportingApps: [String] = [], filteringApps: [String] = [], maps: [AppleFieldMap] = []) {
    self.reportingApps = reportingApps
    self.filteringApps = filteringApps
    self.maps = maps + [.standard, .saracroche]
  }

  /// The map of a dictionary; nil if none has its number.
  public func map(of values: [String: AppleValue]) -> AppleFieldMap? {
    maps.first { values[$0.number] != nil }
  }
}
