// SPDX-License-Identifier: Apache-2.0

package import Storage
import Synchronization

/// The schedule in force: the daily time that an administrator has set on a page, or else the setting.
package final class CurrentSchedule: Sendable {
  /// Of the setting, and of times that are set on a page.
  package let zone: String
  private let configured: PublicationSchedule?
  private let stored = Mutex<PublicationSchedule?>(nil)

  package init(_ configured: PublicationSchedule? = nil, zone: String = "UTC") {
    (self.configured, self.zone) = (configured, zone)
  }

  /// As of the last ``refresh(_:)``.
  package var value: PublicationSchedule? { stored.withLock { $0 } ?? configured }

  /// Reads the time that is set on a page.
  @discardableResult
  package func refresh(_ store: PublicationStore) async throws -> PublicationSchedule? {
    let daily = try await store.dailyTime().flatMap { PublicationSchedule(time: $0.time, zone: $0.zone) }
    stored.withLock { $0 = daily }
    return value
  }
}
