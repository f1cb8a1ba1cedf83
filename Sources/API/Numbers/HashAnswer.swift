import HTTPServer
import Crypto
import Curation
package import Foundation
package import Storage

/// The JSON of a lookup by hash.
package struct HashAnswer: Encodable {
  /// A listed number.
  package struct Entry: Encodable {
    /// 64 hex digits.
    package let hash: String
    package let category: String
    package let label: String
    /// Whether it may be blocked; otherwise it is only to be named.
    package let block: Bool

    package init(_ listed: ListedHash) {
      hash = Hexadecimal.text(listed.hash)
      category = listed.category.slug
      label = listed.label
      block = listed.mayBlock
    }
  }

  package let prefix: String
  package let entries: [Entry]
  /// Zeros that make the answer as long as others are.
  package var padding = ""

  /// Answers are a multiple of so many bytes: 25 entries or so. With 2,000,000 numbers listed and prefixes of four
  /// digits, where 31 are usual, nearly all answers are two steps long; with prefixes of six or more, one.
  package static let step = 4_096

  /// The bytes, and a tag that is the same for the same content.
  package var padded: (json: Data, tag: String) {
    var answer = self
    let bare = JSON.data(answer)
    answer.padding = String(repeating: "0", count: (Self.step - bare.count % Self.step) % Self.step)
    let tag = Hexadecimal.text(SHA256.hash(data: bare).prefix(16))
    return (JSON.data(answer), "\"\(tag)\"")
  }
}
