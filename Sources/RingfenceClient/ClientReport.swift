public import Foundation

/// A complaint of one user. Its id and its time are fixed when it is made, so that every retry meets the same row.
///
/// What it is about does not show in its description, its mirror, or a debugger's dump.
public struct ClientReport: Sendable, Codable, Equatable, CustomStringConvertible, CustomReflectable {
  /// As typed; a national form needs `region`.
  public let number: String
  /// ISO 3166-1 alpha-2.
  public let region: String?
  /// A category's slug, such as `fraud`.
  public let category: String
  /// The app's own name for its user, 1 to 200 characters; the server keeps a keyed hash of it.
  public let reporter: String
  /// What every retry repeats, and what a withdrawal names.
  public let reportID: UUID
  /// RFC 3339, in whole seconds.
  public let reportedAt: String
  /// At most 500 characters.
  public let comment: String?

  enum CodingKeys: String, CodingKey {
    case number, region, category, reporter, comment
    case reportID = "report_id"
    case reportedAt = "reported_at"
  }

  /// - Parameters:
  ///   - time: when the user spoke.
  ///   - reportID: a fresh one unless the app has one of its own.
  ///   - rest: see the properties.
  /// - Throws: ``ClientError/invalid(field:rule:)`` for what the server would refuse without looking at the number.
  public init(
    number: String, region: String? = nil, category: String, reporter: String, comment: String? = nil,
    at time: Date = Date(), reportID: UUID = UUID()
  ) throws(ClientError) {
    guard (1...64).contains(number.utf8.count) else { throw .invalid(field: "number", rule: "1 to 64 bytes.") }
    guard (1...64).contains(category.utf8.count) else { throw .invalid(field: "category", rule: "1 to 64 bytes.") }
    guard region.map({ $0.utf8.count == 2 }) ?? true else { throw .invalid(field: "region", rule: "Two letters.") }
    guard (1...200).contains(reporter.count), reporter.utf8.count <= 800 else {
      throw .invalid(field: "reporter", rule: "1 to 200 characters.")
    }
    guard comment.map({ $0.unicodeScalars.count <= 500 && !$0.unicodeScalars.contains("\0") }) ?? true else {
      throw .invalid(field: "comment", rule: "At most 500 characters, none of them NUL.")
    }
    self.number = number
    self.region = region
    self.category = category
    self.reporter = reporter
    self.comment = comment
    self.reportID = reportID
    reportedAt = time.formatted(.iso8601)
  }

  /// The id alone.
  public var description: String { "report \(reportID)" }

  /// The id alone.
  public var customMirror: Mirror { Mirror(self, children: ["reportID": reportID]) }
}
