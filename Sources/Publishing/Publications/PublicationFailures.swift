// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
package import Support
import Synchronization

/// The cause of a failed publication in a word.
enum FailureCause: String {
  case disk, database, key, interrupted, other
  case readOnly = "read_only"

  /// - Parameters:
  ///   - hasKey: whether the signing key can be read.
  ///   - folder: the folder of publications; not every error says that the disk is full.
  init(_ error: any Error, hasKey: Bool, folder: String) {
    self =
      switch error {
      case PublishingError.cannotWrite(_, let code): Self(errno: code)
      case PublishingError.keyNotInRoot, PublishingError.badRoot: .key
      case is PostgresError: .database
      case let error as CocoaError where error.underlying is POSIXError:
        Self(errno: (error.underlying as? POSIXError)?.code.rawValue ?? 0)
      default: hasKey ? .other : .key
      }
    if self == .other, let space = FolderSpace(folder), space.freeBytes < 1 << 16 { self = .disk }
  }

  private init(errno code: Int32) {
    self =
      switch code {
      case ENOSPC, EDQUOT: .disk
      case EROFS, EACCES, EPERM: .readOnly
      default: .other
      }
  }
}

/// Tells receivers about failed publications, including attempts that failed before they had a serial.
final class PublicationFailures: Sendable {
  private struct State {
    /// An event that the database did not take.
    var untold: Event?
    var isFailing = false
  }

  private let state = Mutex(State())

  /// Whether the last attempt of this process failed.
  var isFailing: Bool { state.withLock(\.isFailing) }

  func succeed() { state.withLock { $0.isFailing = false } }

  /// - Returns: an event that is one per day for a cause and the publication that stays.
  static func event(_ cause: FailureCause, _ error: any Error, after serial: Int64?, at time: Date) -> Event {
    let day = Int(time.timeIntervalSince1970 / 86_400)
    return Event(
      .publicationFailed, id: UUID(naming: "publication failed \(cause.rawValue) \(serial ?? 0) \(day)"), at: time,
      ["cause": .text(cause.rawValue), "reason": .text(String(PublicationFailure(error).reason.prefix(500)))])
  }

  func record(_ event: Event, in outbox: OutboxStore) async {
    state.withLock { ($0.isFailing, $0.untold) = (true, event) }
    await tell(outbox)
  }

  /// Records the event that the database did not take before. Without it, it is kept.
  func tell(_ outbox: OutboxStore) async {
    guard let event = state.withLock(\.untold), (try? await outbox.record(event, at: Date())) != nil else { return }
    state.withLock { $0.untold = nil }
  }
}

extension PublicationFailure {
  /// The values of the failure, or its code.
  fileprivate var reason: String {
    switch self {
    case .cannotWrite(let path, let detail): "\(path): \(detail)"
    case .databaseError(let text), .internalError(let text), .packError(let text), .refusedByReaders(let text): text
    default: json
    }
  }
}

extension FolderSpace {
  package var isNearlyFull: Bool { freeBytes < 1_000_000_000 }
  package var isLow: Bool { freeBytes < 5_000_000_000 || freeBytes < min(bytes / 10, 50_000_000_000) }
}
