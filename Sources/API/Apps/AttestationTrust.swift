// SPDX-License-Identifier: Apache-2.0

package import Attestation
package import Foundation
import Synchronization

/// The roots of genuine phones, and the list of keys that their maker has revoked.
package struct AttestationTrust: Sendable {
  let roots: AttestationRoots
  let revocations: RevocationFile?

  /// - Parameters:
  ///   - roots: by default those that this version knows.
  ///   - revocations: the path of Google's list; nil for none.
  package init(roots: AttestationRoots = .known, revocations: String? = nil) {
    self.roots = roots
    self.revocations = revocations.map(RevocationFile.init)
  }

  /// Number of revoked keys; nil without a list that is new enough.
  package func revokedKeys(at now: Date) -> Int? { revocations?.list(at: now)?.count }
}

/// Google's list of revoked keys in a file, which another program renews. Its age is the time since the file was written.
final class RevocationFile: Sendable {
  private struct State {
    var list: RevocationList?
    var writtenAt = Date.distantPast
    var checkedAt = Date.distantPast
  }

  /// Seconds after which a changed file is noticed.
  private static let checkInterval: TimeInterval = 60

  private let path: String
  private let state = Mutex(State())

  init(path: String) {
    self.path = path
  }

  /// The list; nil without one that is new enough. A file that cannot be read replaces nothing.
  func list(at now: Date) -> RevocationList? {
    state.withLock { state in
      if abs(now.timeIntervalSince(state.checkedAt)) >= Self.checkInterval {
        state.checkedAt = now
        let written = (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
        if let written, written != state.writtenAt, let file = FileHandle(forReadingAtPath: path),
          let data = try? file.read(upToCount: RevocationList.maxBytes + 1), let list = RevocationList(data)
        {
          (state.list, state.writtenAt) = (list, written)
        }
      }
      // A time of the file that lies far ahead says nothing about its age.
      return abs(now.timeIntervalSince(state.writtenAt)) <= RevocationList.maxAge ? state.list : nil
    }
  }
}
