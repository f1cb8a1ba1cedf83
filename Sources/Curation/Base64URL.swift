// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Base64 for addresses (RFC 4648, section 5), without padding.
package enum Base64URL {
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Nil for a text with other characters, such as padding or spaces.
  package static func decode(_ text: some StringProtocol) -> Data? {
    guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") }) else {
      return nil
    }
    let padded = String(text).replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: padded + String(repeating: "=", count: (4 - padded.utf8.count % 4) % 4))
  }
}
