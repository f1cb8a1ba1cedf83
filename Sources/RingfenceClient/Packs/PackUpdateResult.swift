// SPDX-License-Identifier: Apache-2.0

/// The outcome of an update of packs.
public struct PackUpdateResult: Sendable, Equatable {
  /// The serial of the publication after the update.
  public let serial: Int64
  /// The names of packs that changed.
  public let changed: [String]
  /// The size of the packs and deltas that were downloaded, in bytes.
  public let fetchedBytes: Int
}
