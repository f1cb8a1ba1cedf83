// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A key of an app. The key itself is not stored.
public struct AppKey: Sendable, Equatable {
  /// Whether requests with the key are accepted.
  public enum State: String, Sendable {
    /// Requests are accepted.
    case valid
    /// The key has expired.
    case expired
    /// The key was revoked.
    case revoked
  }

  /// Key of its row.
  public let id: Int32
  /// The app of the key.
  public let appID: Int32
  /// The app's name.
  public let appName: String
  /// The first characters of the key.
  public let hint: String
  /// The key's scopes.
  public let scopes: AppScopes
  /// When the key was created.
  public let createdAt: Date
  /// The account that created the key.
  public let createdBy: String
  /// When the key expires; nil for never.
  public let expiresAt: Date?
  /// When the key was revoked; nil while it is not.
  public let revokedAt: Date?
  /// When the key was last used, to about a minute.
  public let lastUsedAt: Date?

  /// How long a server caches a valid key, in seconds.
  public static let belief: TimeInterval = 10
  /// Longest time between accepting a request and storing it, in seconds; it also covers small clock differences.
  private static let slack: TimeInterval = 60

  /// The time before which every report of the key is stored: some time after its end for an expired or revoked key,
  /// `time` for a valid one.
  public func lastArrival(at time: Date) -> Date {
    guard state(at: time) != .valid, let end = [revokedAt, expiresAt].compactMap(\.self).min() else { return time }
    return Self.lastArrival(after: end)
  }

  /// The time before which every report is stored that was accepted until `end`.
  static func lastArrival(after end: Date) -> Date { end + belief + slack }

  /// The key's state at a time.
  public func state(at time: Date) -> State {
    if revokedAt != nil { return .revoked }
    if let expiresAt, expiresAt <= time { return .expired }
    return .valid
  }
}
