// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOHTTP1

/// The head of a response: its status and fields.
public struct OutboundResponse: Sendable {
  /// The status, such as 200.
  public let status: Int
  private let fields: HTTPHeaders

  init(status: Int, fields: HTTPHeaders) {
    self.status = status
    self.fields = fields
  }

  /// The first field of a name.
  /// - Parameter name: in any case.
  public subscript(name: String) -> String? { fields.first(name: name) }

  /// The error that corresponds to the status.
  public var failure: HTTPClientError {
    .status(status, retryAfter: self["Retry-After"].flatMap { Int($0) })
  }

  /// Refuses a body that is encoded, since its length does not limit the decoded length, and one that is announced to
  /// be longer than the limit.
  func checkBody(limit: Int) throws(HTTPClientError) {
    let encodings = fields[canonicalForm: "Content-Encoding"] + fields[canonicalForm: "Transfer-Encoding"]
    if let encoding = encodings.first(where: { !["identity", "chunked"].contains($0.lowercased()) }) {
      throw .encoded(String(encoding))
    }
    // Digits only, as the HTTP parser has checked; nil is a number beyond 64 bits.
    let lengths = fields[canonicalForm: "Content-Length"].map { Int($0) ?? .max }
    if lengths.contains(where: { $0 > limit }) { throw .tooLong(limit: limit) }
  }
}
