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

  /// When the time was set on a page: earlier times of it are no publication's. Nil for the setting.
  package var since: Date? { stored.withLock { $0?.since } }

  /// Reads the time that is set on a page.
  @discardableResult
  package func refresh(_ store: PublicationStore) async throws -> PublicationSchedule? {
    let daily = try await store.dailyTime().flatMap { daily in
      PublicationSchedule(time: daily.time, zone: daily.zone).map { (schedule: $0, since: daily.since) }
    }
    stored.withLock { $0 = daily }
    return value
  }
}
