// SPDX-License-Identifier: Apache-2.0

package import Curation
import Support

/// A source with the outcome of its last download, as programs of an operator read it. Times are texts of RFC 3339.
package struct SourceStatus: Encodable, Sendable {
  /// The effect of a source.
  package enum State: String, Encodable, Sendable {
    case active
    /// No download has succeeded.
    case notRead = "not_read"
    /// It is ignored because moderators allow most of its numbers.
    case suspended
    /// More than a third of the rows of the last file was rejected.
    case manyRejected = "many_rejected"
  }

  package let name: String, format: String, ceiling: String, nextAt: String
  let url: String, license: String?, suspendedAt: String?
  package let state: State
  package let entries: Int, failures: Int, confirmed: Int, wrong: Int
  let everySeconds: Int, maxChangePercent: Int
  package let refreshedAt: String?
  package let precision: Double?
  /// The progress of a refresh that is running or was interrupted.
  package let storedEntries: Int?, fileEntries: Int?
  /// Why the last attempt failed; nil after a success.
  package let error: SourceFailure?
  /// Of the last file.
  package let rejected: RejectedRows

  package init(_ source: Source) {
    let (settings, found) = (source.settings, source.quality.precision)
    (name, format, url, everySeconds) = (settings.name, settings.format.rawValue, settings.url, settings.every)
    (ceiling, license, maxChangePercent) = (settings.ceiling.rawValue, settings.license, settings.maxChange)
    (confirmed, wrong, precision) = (found.confirmed, found.wrong, found.share)
    (entries, failures, error) = (source.state.entries, source.failures, source.failure)
    (storedEntries, fileEntries) = (source.state.progress?.done, source.state.progress?.goal)
    rejected = source.state.rejected
    let isRead = source.state.refreshedAt != nil
    state = source.isSuspended ? .suspended : rejected.exceedsThird ? .manyRejected : isRead ? .active : .notRead
    nextAt = Timestamp.format(source.nextAt)
    refreshedAt = source.state.refreshedAt.map { Timestamp.format($0) }
    suspendedAt = source.quality.suspendedAt.map { Timestamp.format($0) }
  }
}
