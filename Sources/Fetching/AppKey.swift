public import CallerPack
import Foundation

/// An app's key, for a server that gives publications to known apps alone. It goes there and nowhere else, and its text is
/// never shown.
public struct AppKey: Sendable, CustomStringConvertible {
  private let text: String
  /// The server that it is for.
  public let origin: WebOrigin

  /// - Parameters:
  ///   - text: as `ringfence app create` prints it; nil for what no key can be: nothing at all, more than 200 bytes, or
  ///     anything but printable ASCII without spaces.
  ///   - origin: the server that it is for.
  public init?(_ text: String, for origin: WebOrigin) {
    guard (1...200).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
    self.text = text
    self.origin = origin
  }

  /// As a request bears it.
  var authorization: String { "Bearer \(text)" }

  /// Nothing of the secret.
  public var description: String { "an app's key" }
}
