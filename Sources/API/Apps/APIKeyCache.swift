import Foundation
import HTTPServer
package import Intake
package import Storage
import Synchronization

/// Remembers which app a key belongs to for some seconds, so that a burst of reports asks the database once.
/// A revoked key works until its entry is forgotten.
package final class APIKeyCache: Sendable {
  private struct Entry {
    let app: App
    let until: ContinuousClock.Instant
  }

  private let apps: AppStore
  private let uses: KeyUseCounter
  private let known = Mutex<[String: Entry]>([:])
  /// Until when no key is looked up, since the database has not answered.
  private let pause = Mutex<ContinuousClock.Instant?>(nil)

  /// How long further look-ups are refused at once after one that the database did not answer.
  private static let pauseLength = Duration.seconds(1)

  /// How long an entry is believed.
  package static let lifetime = Duration.seconds(AppKey.belief)

  /// - Parameter uses: told which keys are used.
  package init(apps: AppStore, uses: KeyUseCounter) {
    self.apps = apps
    self.uses = uses
  }

  /// The app that is remembered for a key; nil says nothing about others.
  package func known(key: String) -> App? {
    guard let entry = known.withLock({ $0[key] }), entry.until > .now else { return nil }
    return entry.app
  }

  /// - Throws: `DeadlineExceeded` where the database does not answer.
  package func app(key: String) async throws -> App? {
    if let app = known(key: key) { return app }
    let now = ContinuousClock.now
    // Only keys that exist are remembered, so strangers cannot fill it.
    guard let app = try await lookUp(key) else {
      _ = known.withLock { $0.removeValue(forKey: key) }
      return nil
    }
    // A key in use comes here every few seconds, which is often enough for a last use.
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
