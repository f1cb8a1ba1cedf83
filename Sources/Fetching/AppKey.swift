// SPDX-License-Identifier: Apache-2.0

public import CallerPack
import Foundation

/// An app's key, for a server that requires one for publications. It is sent to that server only, and its text is never
/// shown.
public struct AppKey: Sendable, CustomStringConvertible {
  private let text: String
  /// The server of the key.
  public let origin: WebOrigin

  /// - Parameters:
  ///   - text: the output of `ringfence app create`; nil for a text that cannot be a key: empty, more than 200 bytes,
  ///     or other than printable ASCII without spaces.
  ///   - origin: the server of the key.
  public init?(_ text: String, for origin: WebOrigin) {
    guard (1...200).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
    self.text = text
    self.origin = origin
  }

  /// The value of the Authorization field.
  var authorization: String { "Bearer \(text)" }

  /// A description without the secret.
  public var description: String { "an app's key" }
}
