// SPDX-License-Identifier: Apache-2.0

/// The name and version of an app or a tool, which it tells when it asks for the newest manifest.
public struct ClientProduct: Sendable, Hashable {
  /// The product, 1 to 40 ASCII letters, digits, dots, hyphens and underscores.
  public let name: String
  /// The version, 1 to 20 of the same characters.
  public let version: String

  /// Creates a product.
  /// - Parameters:
  ///   - name: 1 to 40 ASCII letters, digits, dots, hyphens and underscores.
  ///   - version: 1 to 20 of the same characters.
  /// - Returns: nil for other texts.
  public init?(name: String, version: String) {
    guard Self.isToken(name, most: 40), Self.isToken(version, most: 20) else { return nil }
    (self.name, self.version) = (name, version)
  }

  /// Reads `NAME/VERSION`.
  /// - Returns: nil for other texts.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { return nil }
    self.init(name: parts[0], version: parts[1])
  }

  private static func isToken(_ text: String, most: Int) -> Bool {
    (1...most).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}

/// The statement of a client about itself in a request for the manifest: its product, and the serial of the publication that
/// it holds. It has nothing that tells one client from another.
package struct ClientStatement: Sendable, Hashable {
  /// The name of the header field; its value is such as `Example/2.1; serial=412`.
  package static let field = "Ringfence-Client"

  package let product: ClientProduct
  /// 0 for none.
  package let serial: Int64

  package init(_ product: ClientProduct, serial: Int64) {
    (self.product, self.serial) = (product, serial)
  }

  /// Reads the value of the header field.
  /// - Returns: nil for another form.
  package init?(_ text: String) {
    // By bytes: comparing characters takes six times as long.
    let (bytes, label) = (text.utf8, "; serial=".utf8)
    guard bytes.count <= 100, let end = bytes.firstIndex(of: UInt8(ascii: ";")), bytes[end...].starts(with: label),
      case let digits = bytes[end...].dropFirst(label.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let product = ClientProduct(String(text[..<end])), let serial = Int64(Substring(digits))
    else { return nil }
    self.init(product, serial: serial)
  }

  package var text: String { "\(product.name)/\(product.version); serial=\(serial)" }
}
