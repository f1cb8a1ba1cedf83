import Foundation
import HTTPTypes
import Hummingbird

/// Where somebody wanted to go before signing in: a moderation page of this server and nothing else.
struct ReturnAddress: Equatable {
  /// A path with its query.
  let path: String

  static let home = "/moderation"

  /// - Parameter text: what a query or a form names; anything but one of our pages becomes ``home``.
  init(_ text: String?) {
    let isOurs = text.map { text in
      text.utf8.count <= 512
        && (text == Self.home || text.hasPrefix(Self.home + "/") || text.hasPrefix(Self.home + "?"))
        && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
    }
    path = isOurs == true ? text ?? Self.home : Self.home
  }

  /// The page that a request asks for. A form that was sent is not: it cannot be sent again by a link.
  init(_ request: Request) {
    self.init(request.method == .get ? request.uri.string : nil)
  }

  /// The sign-in page that leads here.
  var signIn: String {
    guard path != Self.home else { return "/sign-in" }
    let allowed = CharacterSet(charactersIn: "-._~/").union(.alphanumerics)
    return "/sign-in?next=\(path.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
  }
}
