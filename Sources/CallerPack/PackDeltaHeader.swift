// SPDX-License-Identifier: Apache-2.0

/// The header of a delta.
public struct PackDeltaHeader: Sendable, Hashable {
  /// The version of the format: 1.
  public var version: UInt16
  /// The kind of both packs.
  public var kind: PackKind
  /// The region of the result.
  public var region: String
  /// The serial of the result.
  public var serial: UInt64
  /// The serial of the base.
  public var baseSerial: UInt64
  /// The creation time of the result: seconds since 1970-01-01 00:00 UTC; 0 when unknown.
  public var createdAt: Int64
  /// SHA-256 of the base.
  public var baseDigest: PackDigest
  /// SHA-256 of the result.
  public var resultDigest: PackDigest
  /// The number of entries of the base whose number is not in the result.
  public var removedCount: Int
  /// The number of entries of the result whose number is not in the base.
  public var addedCount: Int
  /// The number of entries in both packs whose label or roles differ.
  public var changedCount: Int
  /// The header of the result.
  public var result: PackHeader

  package init(
    version: UInt16, kind: PackKind, region: String, serial: UInt64, baseSerial: UInt64, createdAt: Int64,
    baseDigest: PackDigest, resultDigest: PackDigest, removedCount: Int, addedCount: Int, changedCount: Int,
    result: PackHeader
  ) {
    self.version = version
    self.kind = kind
    self.region = region
    self.serial = serial
    self.baseSerial = baseSerial
    self.createdAt = createdAt
    self.baseDigest = baseDigest
    self.resultDigest = resultDigest
    self.removedCount = removedCount
    self.addedCount = addedCount
    self.changedCount = changedCount
    self.result = result
  }
}
