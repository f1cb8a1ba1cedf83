// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A version of the thresholds, with its author, time and reason.
public struct ThresholdVersion: Sendable, Equatable {
  /// Rises by one from 1; the newest is in force.
  public let version: Int32
  /// When it was saved.
  public let savedAt: Date
  /// The account that saved it, 1 to 80 characters.
  public let savedBy: String
  /// The reason, 1 to 500 characters; nil for the thresholds that come with Ringfence.
  public let reason: String?

  /// - Parameters: see the properties.
  public init(version: Int32, savedAt: Date, savedBy: String, reason: String?) {
    self.version = version
    self.savedAt = savedAt
    self.savedBy = savedBy
    self.reason = reason
  }
}
