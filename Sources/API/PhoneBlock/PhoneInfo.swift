// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import HTTPTypes
import NIOCore
import Storage
import XMLSyntax

/// PhoneBlock's answer about one number.
struct PhoneInfo: Encodable {
  /// With a plus; `unknown` when the server does not know the number.
  var phone = "unknown"
  /// 0, or at least ``PhoneBlockVotes/listed``.
  var votes = 0
  var rating = PhoneBlockRating.legitimate
  /// The votes of the range around it.
  var votesWildcard = 0
  var whiteListed = false
  var blackListed = false
  /// Deprecated, always false; one client does not read an answer without it.
  let archived = false
  /// Milliseconds since 1970; 0 for an unlisted number.
  var dateAdded: Int64 = 0
  var lastUpdate: Int64 = 0
  var label: String?
  /// Reports for each day.
  var heat = 0.0
  /// 0 to 100.
  var spamConfidence = 0
  /// Always 0: a live count would say which numbers are called, and when.
  let calls = 0

  /// - Parameter number: nil for a number that the server does not know.
  init(unlisted number: Int64? = nil) {
    if let number { phone = "+\(number)" }
  }

  /// - Parameter isInRange: whether a range with the number is complete.
  init(_ caller: ListedCaller, isInRange: Bool, at time: Date) {
    phone = "+\(caller.number)"
    guard !caller.isAllowed else {
      whiteListed = true
      return
    }
    label = caller.label
    // Nothing is said about reports of a number that is only identified.
    guard caller.mayBlock else { return }
    votes = PhoneBlockVotes.votes(of: caller, at: time)
    rating = caller.cause == .range ? .missed : PhoneBlockRating(caller.category)
    votesWildcard = isInRange ? PhoneBlockVotes.listed : 0
    dateAdded = Int64(caller.listedAt.timeIntervalSince1970 * 1_000)
    lastUpdate = dateAdded
    // A sum that halves in 14 days is 20.2 times the value of one day.
    heat = (caller.heat(at: time) / 20.2 * 100).rounded() / 100
    spamConfidence = Int((caller.confidence(at: time) * 100).rounded())
  }

  /// A number that is known by its range alone.
  static let inRange = {
    var info = PhoneInfo()
    (info.votesWildcard, info.rating) = (PhoneBlockVotes.listed, .missed)
    return info
  }()

  /// Applies the user's own entry, which has precedence over the server's.
  mutating func apply(_ entry: PersonalNumber?) {
    guard let entry else { return }
    if phone == "unknown", !entry.isPrefix { phone = "+\(entry.number)" }
    (blackListed, whiteListed) = (entry.isBlocked, !entry.isBlocked)
    // Some clients read the figures alone.
    if whiteListed { (votes, votesWildcard, spamConfidence, rating) = (0, 0, 0, .legitimate) }
  }

  /// Whether the answer differs from that about an unlisted number.
  var hasContent: Bool { votes > 0 || votesWildcard > 0 || whiteListed || blackListed || label != nil }

  /// One element with an attribute for each member.
  var xml: String {
    var attributes = [
      ("phone", phone), ("votes", "\(votes)"), ("rating", rating.rawValue), ("votes-wildcard", "\(votesWildcard)"),
      ("white-listed", "\(whiteListed)"), ("black-listed", "\(blackListed)"), ("archived", "\(archived)"),
      ("date-added", "\(dateAdded)"), ("last-update", "\(lastUpdate)"),
    ]
    if let label { attributes.append(("label", label)) }
    attributes += [("heat", "\(heat)"), ("spam-confidence", "\(spamConfidence)"), ("calls", "\(calls)")]
    return "<phone-info" + attributes.map { " \($0)=\"\(XMLText.escaped($1))\"" }.joined() + "/>"
  }
}

/// The formats of PhoneBlock's answers.
enum PhoneBlockFormat {
  case json, xml

  /// XML where the query or `Accept` asks for it, otherwise JSON.
  /// - Throws: ``PhoneBlockError`` for another format.
  init(_ request: Request) throws {
    switch request.uri.queryParameters["format"] {
    case "xml": self = .xml
    case "json": self = .json
    case nil: self = request.headers[.accept]?.lowercased().hasSuffix("/xml") ?? false ? .xml : .json
    default: throw PhoneBlockError.invalid("format", "json or xml")
    }
  }

  static func xml(_ text: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/xml; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}
