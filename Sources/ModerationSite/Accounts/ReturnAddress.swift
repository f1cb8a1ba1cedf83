// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird

/// The page to open after sign-in. Only moderation pages of this server are accepted.
struct ReturnAddress: Equatable {
  /// A path with its query.
  let path: String

  static let home = "/moderation"

  /// - Parameter text: from a query or a form; an address outside the moderation pages becomes ``home``.
  init(_ text: String?) {
    let isOurs = text.map { text in
      text.utf8.count <= 512
        && (text == Self.home || text.hasPrefix(Self.home + "/") || text.hasPrefix(Self.home + "?"))
        && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
    }
    path = isOurs == true ? text ?? Self.home : Self.home
  }

  /// The page that a request asks for, or ``home`` if the request is not a GET: a redirect cannot send a form again.
  init(_ request: Request) {
    self.init(request.method == .get ? request.uri.string : nil)
  }

  /// The address of the sign-in page that returns here.
  var signIn: String {
    guard path != Self.home else { return "/sign-in" }
    let allowed = CharacterSet(charactersIn: "-._~/").union(.alphanumerics)
    return "/sign-in?next=\(path.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
  }
}
