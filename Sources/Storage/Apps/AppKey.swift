public import Foundation

/// A key of an app. The key itself is not stored.
public struct AppKey: Sendable, Equatable {
  /// What becomes of a request that shows it.
  public enum State: String, Sendable {
    /// It is let in.
    case valid
    /// Its time is over.
    case expired
    /// Somebody revoked it.
    case revoked
  }

  /// Key of its row.
  public let id: Int32
  /// Whose it is.
  public let appID: Int32
  /// The app's name.
  public let appName: String
  /// How the key begins.
  public let hint: String
  /// What it may do.
  public let scopes: AppScopes
  /// When it was made.
  public let createdAt: Date
  /// By whom.
  public let createdBy: String
  /// From when on it is no longer valid; nil for never.
  public let expiresAt: Date?
  /// When it was revoked.
  public let revokedAt: Date?
  /// When it was last seen, to a minute or so.
  public let lastUsedAt: Date?

  /// How long a server believes a key after it asked the database, in seconds.
  public static let belief: TimeInterval = 10
  /// How long what was let in may take until it is stored, in seconds; it covers clocks that differ a little, too.
  private static let slack: TimeInterval = 60

  /// Before when the last report that comes by it is stored: for a key that has ended, a while after its end; now for
  /// one that is valid.
  public func lastArrival(at time: Date) -> Date {
    guard state(at: time) != .valid, let end = [revokedAt, expiresAt].compactMap(\.self).min() else { return time }
    return end + Self.belief + Self.slack
  }

  /// What becomes of a request that shows it at a time.
  public func state(at time: Date) -> State {
    if revokedAt != nil { return .revoked }
    if let expiresAt, expiresAt <= time { return .expired }
    return .valid
  }
}
