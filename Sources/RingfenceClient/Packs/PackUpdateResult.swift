/// What an update of packs came to.
public struct PackUpdateResult: Sendable, Equatable {
  /// The publication that is held now.
  public let serial: Int64
  /// Names of packs that changed.
  public let changed: [String]
  /// Bytes of packs and deltas that were fetched.
  public let fetchedBytes: Int
}
