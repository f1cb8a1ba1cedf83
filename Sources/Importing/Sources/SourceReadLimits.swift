// SPDX-License-Identifier: Apache-2.0

/// Limits of a source's file, beyond which it is refused and the former entries stay.
public struct SourceReadLimits: Sendable, Equatable {
  /// The most bytes of a response.
  public var fileBytes = 64 << 20
  /// The most bytes after decompression.
  public var expandedBytes = 512 << 20
  /// The time limit of a response; of another server's publication, that of all its files together.
  public var total = Duration.seconds(300)
  /// The longest time without data.
  public var idle = Duration.seconds(30)
  /// The most entries: 24 bytes of memory for each.
  public var entries = 2_000_000
  /// The most redirects within the origin.
  public var redirects = 5

  /// The limits of a server.
  public init() {}

  /// The limits of a preview on a page, for which a browser waits.
  public static var preview: SourceReadLimits {
    var limits = SourceReadLimits()
    (limits.fileBytes, limits.expandedBytes, limits.entries) = (16 << 20, 64 << 20, 200_000)
    (limits.total, limits.idle) = (.seconds(20), .seconds(10))
    return limits
  }
}
