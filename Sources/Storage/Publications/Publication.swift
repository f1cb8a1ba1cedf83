// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A publication as recorded in the database.
public struct Publication: Sendable, Equatable {
  /// Rises by one with every publication, from 1.
  public let serial: Int64
  /// When it became visible.
  public let publishedAt: Date
  /// The time for which heat was calculated.
  public let asOf: Date
  /// SHA-256 of the manifest, 32 bytes.
  public let manifestSHA256: [UInt8]

  /// - Parameters: see the properties.
  public init(serial: Int64, publishedAt: Date, asOf: Date, manifestSHA256: [UInt8]) {
    self.serial = serial
    self.publishedAt = publishedAt
    self.asOf = asOf
    self.manifestSHA256 = manifestSHA256
  }
}
