// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Damage that was found when the outbox's file was opened.
public struct OutboxDamage: Sendable, Equatable {
  /// The number of bytes that belong to no complete record and were skipped.
  public let bytes: Int
  /// A copy of the damaged file, which the next damage replaces. It contains users' reports: delete it when nobody will
  /// examine it. Nil when only an incomplete record was cut off the end. In that case the app died while the record was
  /// being written, and its acceptance was never reported.
  public let copy: URL?
}
