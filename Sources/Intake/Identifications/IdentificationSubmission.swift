// SPDX-License-Identifier: Apache-2.0

/// Counts of calls from an app, not yet checked.
public struct IdentificationSubmission: Sendable, Equatable {
  /// The calls of one number on one day.
  public struct Item: Sendable, Equatable {
    /// As typed; national forms need `region`.
    public var number: String
    /// ISO 3166-1 alpha-2.
    public var region: String?
    /// Calls that a phone could name, 0 to 1,000,000.
    public var named: Int
    /// Calls that it could not, 0 to 1,000,000.
    public var unknown: Int
    /// A day in UTC, `2026-11-21`.
    public var day: String

    /// - Parameters: see the properties.
    public init(number: String, region: String? = nil, named: Int, unknown: Int, day: String) {
      self.number = number
      self.region = region
      self.named = named
      self.unknown = unknown
      self.day = day
    }
  }

  /// A UUID that every retry repeats.
  public var batchID: String
  /// The items, 1 to 1,000; those of one number and day are added up.
  public var items: [Item]

  /// - Parameters: see the properties.
  public init(batchID: String, items: [Item]) {
    self.batchID = batchID
    self.items = items
  }
}
