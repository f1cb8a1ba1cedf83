// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import Intake
import Storage
import Synchronization

/// Caches the app of each key for some seconds, so that a burst of reports needs one query. A revoked key works until
/// its entry expires.
final class APIKeyCache: Sendable {
  private struct Entry {
    let app: App
    let until: ContinuousClock.Instant
  }

  private let apps: AppStore
  private let uses: KeyUseCounter
  private let known = Mutex<[String: Entry]>([:])
  /// Until this time no key is looked up, because the database did not answer.
  private let pause = Mutex<ContinuousClock.Instant?>(nil)

  /// The time for which further lookups are refused after one that the database did not answer.
  private static let pauseLength = Duration.seconds(1)

  static let lifetime = Duration.seconds(AppKey.belief)

  init(apps: AppStore, uses: KeyUseCounter) {
    self.apps = apps
    self.uses = uses
  }

  /// The cached app of a key; nil if the key is not in the cache.
  func known(key: String) -> App? {
    guard let entry = known.withLock({ $0[key] }), entry.until > .now else { return nil }
    return entry.app
  }

  /// - Throws: `DeadlineExceeded` if the database does not answer in time.
  func app(key: String) async throws -> App? {
    if let app = known(key: key) { return app }
    let now = ContinuousClock.now
    // Only existing keys are cached, so unknown keys cannot fill the cache.
    guard let app = try await lookUp(key) else {
      _ = known.withLock { $0.removeValue(forKey: key) }
      return nil
    }
    // A key in use is looked up every few seconds, often enough for its last use.
    if let keyID = app.keyID { uses.note(keyID, at: Date()) }
    known.withLock { $0[key] = Entry(app: app, until: now + Self.lifetime) }
    return app
  }

  private func lookUp(_ key: String) async throws -> App? {
    if let end = pause.withLock({ $0 }), end > .now { throw DeadlineExceeded() }
    do {
      return try await withDeadline { [apps] in try await apps.app(key: key) }
    } catch let error as DeadlineExceeded {
      pause.withLock { $0 = .now + Self.pauseLength }
      throw error
    }
  }
}
