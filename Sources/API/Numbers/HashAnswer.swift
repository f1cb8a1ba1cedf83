// SPDX-License-Identifier: Apache-2.0

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
    /// Whether the number may be blocked; otherwise apps may only identify it.
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
  /// Zeros that hide the true length of the response.
  package var padding = ""

  /// Responses are padded to a multiple of this size in bytes, about 25 entries. With 2,000,000 listed numbers,
  /// prefixes of four digits have about 31 entries, and nearly all responses are two steps long; prefixes of six or
  /// more need one.
  package static let step = 4_096

  /// The padded bytes, and an entity tag that depends only on the content.
  package var padded: (json: Data, tag: String) {
    var answer = self
    let bare = JSON.data(answer)
    answer.padding = String(repeating: "0", count: (Self.step - bare.count % Self.step) % Self.step)
    let tag = Hexadecimal.text(SHA256.hash(data: bare).prefix(16))
    return (JSON.data(answer), "\"\(tag)\"")
  }
}
