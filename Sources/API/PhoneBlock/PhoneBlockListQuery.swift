// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes
import Hummingbird

/// The parameters of a block list.
struct PhoneBlockListQuery {
  /// The list that is asked for.
  enum Content: Equatable {
    /// All numbers, or the changes since a serial.
    case text(isXML: Bool, since: Int64?)
    /// Some numbers with the most heat.
    case hottest(Int, isXML: Bool)
    case binary(PhoneBlockBinaryOptions)
    /// The user's own numbers, binary.
    case personal
  }

  let content: Content

  /// - Throws: ``PhoneBlockError`` for parameters that are malformed or exclude each other.
  init(_ request: Request) throws {
    let query = request.uri.queryParameters
    let accept = request.headers[.accept]?.lowercased() ?? ""
    let format = query["format"].map(String.init) ?? (accept.hasSuffix("/xml") ? "xml" : "json")
    guard ["json", "xml", "binary"].contains(format) else {
      throw PhoneBlockError.invalid("format", "json, xml or binary")
    }
    let since = try query["since"].map { text in
      guard let since = Int64(text), since >= 0 else {
        throw PhoneBlockError.invalid("since", "a version number, 0 or more")
      }
      return since
    }
    let limit = try query["limit"].map { text in
      guard let limit = Int(text), (1...5_000).contains(limit) else {
        throw PhoneBlockError.invalid("limit", "a number from 1 to 5000")
      }
      return limit
    }
    let type = query["type"].map(String.init) ?? "community"
    guard ["community", "personal"].contains(type) else {
      throw PhoneBlockError.invalid("type", "community or personal")
    }
    if since != nil, limit != nil || format == "binary" {
      throw PhoneBlockError.invalid("since", "absent with limit and with format=binary")
    }
    if format == "binary" {
      content =
        type == "personal"
        ? .personal
        : .binary(
          .init(
            minDirect: query["minDirect"].flatMap { Int($0) }, minRange: query["minRange"].flatMap { Int($0) },
            maxBytes: query["maxBytes"].flatMap { Int($0) }))
    } else if let limit {
      content = .hottest(limit, isXML: format == "xml")
    } else {
      content = .text(isXML: format == "xml", since: since.flatMap { $0 > 0 ? $0 : nil })
    }
  }
}
