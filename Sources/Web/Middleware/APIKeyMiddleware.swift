import Foundation
import HTTPTypes
import Hummingbird
import Storage
import Synchronization

/// Lets in whoever bears an app's key.
struct APIKeyMiddleware: RouterMiddleware {
  let directory: AppDirectory

  func handle(
    _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    guard let key = request.headers[.authorization].flatMap(Self.key(ofBearer:)),
      let app = try await directory.app(key: key)
    else { throw Problem.unauthorized }
    var context = context
    context.app = app
    return try await next(request, context)
  }

  /// The key in `Bearer KEY`, the scheme in either case; nil for another scheme and for more than 256 bytes. Byte by byte:
  /// every request pays for it.
  static func key(ofBearer header: String) -> String? {
    let bytes = header.utf8
    guard bytes.count <= 256, bytes.count > 7, zip(bytes, "bearer ".utf8).allSatisfy({ $0 | 0x20 == $1 }) else {
      return nil
    }
    let rest = Substring(bytes.dropFirst(7))
    return String(rest.drop { $0 == " " || $0 == "\t" }.trimmedEnd)
  }
}

extension Substring {
  /// Without spaces and tabs at its end.
  fileprivate var trimmedEnd: Substring {
    var rest = self
    while rest.utf8.last == 0x20 || rest.utf8.last == 0x09 { rest.removeLast() }
    return rest
  }
}

/// Remembers which app a key belongs to for some seconds, so that a burst of reports asks the database once.
/// A revoked key works until its entry is forgotten.
final class AppDirectory: Sendable {
  private struct Entry {
    let app: App
    let until: ContinuousClock.Instant
  }

  private let apps: AppStore
  private let known = Mutex<[String: Entry]>([:])

  /// How long an entry is believed.
  static let lifetime = Duration.seconds(10)

  init(apps: AppStore) {
    self.apps = apps
  }

  /// The app that is remembered for a key; nil says nothing about others.
  func known(key: String) -> App? {
    guard let entry = known.withLock({ $0[key] }), entry.until > .now else { return nil }
    return entry.app
  }

  func app(key: String) async throws -> App? {
    if let app = known(key: key) { return app }
    let now = ContinuousClock.now
    // Only keys that exist are remembered, so strangers cannot fill it.
    guard let app = try await apps.app(key: key) else {
      _ = known.withLock { $0.removeValue(forKey: key) }
      return nil
    }
    known.withLock { $0[key] = Entry(app: app, until: now + Self.lifetime) }
    return app
  }
}
