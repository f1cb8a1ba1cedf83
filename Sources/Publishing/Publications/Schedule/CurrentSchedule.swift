// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Storage
import Synchronization

/// The schedule in force: the daily time that an administrator has set on a page, or else the setting.
package final class CurrentSchedule: Sendable {
  /// Of the setting, and of times that are set on a page.
  package let zone: String
  private let configured: PublicationSchedule?
  private let stored = Mutex<(schedule: PublicationSchedule, since: Date)?>(nil)

  package init(_ configured: PublicationSchedule? = nil, zone: String = "UTC") {
    (self.configured, self.zone) = (configured, zone)
  }

  /// As of the last ``refresh(_:)``.
  package var value: PublicationSchedule? { stored.withLock { $0?.schedule } ?? configured }

  /// Reads the time that is set on a page.
  @discardableResult
  package func refresh(_ store: PublicationStore) async throws -> PublicationSchedule? {
    let daily = try await store.dailyTime().flatMap { daily in
      PublicationSchedule(time: daily.time, zone: daily.zone).map { (schedule: $0, since: daily.since) }
    }
    stored.withLock { $0 = daily }
    return value
  }

  /// Whether the publication of the last scheduled time is to be made now: never without a time, and not for one before a time
  /// was set on a page.
  package func isDue(at time: Date, _ store: PublicationStore) async throws -> Bool {
    guard let due = try await refresh(store)?.last(atOrBefore: time) else { return false }
    if let since = stored.withLock({ $0?.since }), due < since { return false }
    return PublicationTiming(try await store.attempts(since: due, at: time)) == .publish
  }
}
