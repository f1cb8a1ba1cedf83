// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Counts of identified calls from an app: checked, ready to be stored.
public struct IdentificationBatch: Sendable, Equatable {
  /// The calls of one number on one day.
  public struct Item: Sendable, Equatable {
    /// E.164 digits.
    public var number: Int64
    /// Days since 1970-01-01.
    public var day: Int32
    /// Calls that a phone could name, 0 or more.
    public var named: Int64
    /// Calls that it could not, 0 or more.
    public var unknown: Int64

    /// - Parameters: see the properties.
    public init(number: Int64, day: Int32, named: Int64, unknown: Int64) {
      self.number = number
      self.day = day
      self.named = named
      self.unknown = unknown
    }
  }

  /// The app that sent the batch.
  public var appID: Int32
  /// Chosen by the client; the same for every retry.
  public var batchID: UUID
  /// SHA-256 of the content, 32 bytes; the same for every retry.
  public var contentHash: [UInt8]
  /// In any order; items of one number and day are added up.
  public var items: [Item]

  /// - Parameters: see the properties.
  public init(appID: Int32, batchID: UUID, contentHash: [UInt8], items: [Item]) {
    self.appID = appID
    self.batchID = batchID
    self.contentHash = contentHash
    self.items = items
  }
}

/// Result of storing a batch of identifications.
public enum IdentificationOutcome: Sendable, Equatable {
  /// The batch is new, committed and counted.
  case created
  /// The same batch was stored already; nothing changed.
  case duplicate
  /// The app has used this batch id for other content; nothing changed.
  case conflict
}

/// Counts of identified calls from a number, as reported by apps.
public struct IdentificationCounts: Sendable, Equatable {
  /// E.164 digits.
  public let number: Int64
  /// Decayed calls at the requested time.
  public let heat: Double
  /// Calls that a phone could name, ever.
  public let named: Int64
  /// Calls that it could not, ever.
  public let unknown: Int64
  /// The last day with a call, in days since 1970-01-01.
  public let lastDay: Int32
}
