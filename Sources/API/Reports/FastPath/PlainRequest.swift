// SPDX-License-Identifier: Apache-2.0

import HTTPServer
package import NIOHTTP1

/// The fields of a request's head that the fast path uses. Nil for every request that the fast path does not take.
package struct PlainRequest {
  /// The key in `Authorization: Bearer KEY`.
  package let key: String
  /// `X-Forwarded-For`
  package let forwarded: String?
  /// `X-Request-Id`
  package let id: String?

  /// - Parameter head: the head of any request.
  package init?(_ head: HTTPRequestHead) {
    guard head.method == .POST, head.version == .http1_1, head.uri == "/v1/reports" else { return nil }
    var (authorization, forwarded, id): (String?, String?, String?)
    var (types, hosts) = (0, 0)
    for (name, value) in head.headers {
      switch Known(name) {
      case .other: continue
      case .special: return nil
      case .host:
        guard !value.isEmpty else { return nil }
        hosts += 1
      case .connection:
        guard value.utf8.isSame(as: "keep-alive") else { return nil }
      case .contentType:
        let type = value.utf8
        guard type.isSame(as: "application/json") || type.isSame(as: "application/json; charset=utf-8") else {
          return nil
        }
        types += 1
      case .accept:
        guard value.utf8.isSame(as: "*/*") || value.utf8.isSame(as: "application/json") else { return nil }
      case .authorization:
        guard authorization == nil else { return nil }
        authorization = value
      case .forwarded:
        guard forwarded == nil else { return nil }
        forwarded = value
      case .requestID:
        guard id == nil else { return nil }
        id = value
      }
    }
    guard hosts == 1, types == 1, let key = authorization.flatMap(BearerKey.key(ofBearer:)) else { return nil }
    self.key = key
    self.forwarded = forwarded
    self.id = id
  }

  private enum Known {
    case host, connection, contentType, accept, authorization, forwarded, requestID
    /// A field that changes the meaning of a request.
    case special
    case other

    init(_ name: String) {
      let name = name.utf8
      switch name.count {
      case 4 where name.isSame(as: "host"): self = .host
      case 6 where name.isSame(as: "accept"): self = .accept
      case 6 where name.isSame(as: "expect"): self = .special
      case 7 where name.isSame(as: "upgrade"): self = .special
      case 10 where name.isSame(as: "connection"): self = .connection
      case 12 where name.isSame(as: "content-type"): self = .contentType
      case 12 where name.isSame(as: "x-request-id"): self = .requestID
      case 13 where name.isSame(as: "authorization"): self = .authorization
      case 14 where name.isSame(as: "sec-fetch-site"): self = .special
      case 15 where name.isSame(as: "idempotency-key"): self = .special
      case 15 where name.isSame(as: "x-forwarded-for"): self = .forwarded
      case 16 where name.isSame(as: "content-encoding"): self = .special
      case 17 where name.isSame(as: "transfer-encoding"): self = .special
      default: self = .other
      }
    }
  }
}

extension String.UTF8View {
  /// Whether these bytes equal a lower-case text, ignoring the case of ASCII letters.
  fileprivate func isSame(as text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    var place = 0
    for byte in self {
      let isUpper = byte &- UInt8(ascii: "A") < 26
      guard (isUpper ? byte | 0x20 : byte) == text.utf8Start[place] else { return false }
      place += 1
    }
    return true
  }
}
