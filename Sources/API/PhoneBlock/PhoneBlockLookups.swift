// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import NIOCore
import PackFormats
import PhoneNumbers
import Storage
import Support

/// `GET /phoneblock/api/check`, `/check-prefix` and `/num/{number}`
struct PhoneBlockLookups: Sendable {
  let callers: CallerStore
  let ranges: ListedRanges
  let numbers: PhoneBlockNumber
  let pseudonymizer: Pseudonymizer
  let metrics: PhoneBlockMetrics

  /// Answers about the number with a hash. The hashes without the last one and two digits find a range.
  @Sendable func check(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let hash = Self.complete(request, "sha1") else { throw PhoneBlockError.notAHash }
    let format = try PhoneBlockFormat(request)
    let (ten, hundred) = (Self.complete(request, "prefix10"), Self.complete(request, "prefix100"))
    let reporter = try pseudonymizer.pseudonym(of: request, context: context)
    let time = Date()
    let info = try await withDeadline { [callers, ranges] in
      let found = try await callers.listed(hash, for: reporter, at: time)
      let index = try await ranges.index()
      let personal = PersonalList(found.personal)
      var info: PhoneInfo
      if let caller = found.callers.first {
        info = PhoneInfo(
          caller, isInRange: try await callers.isInRange(caller, index), at: time)
        info.apply(personal.entry(caller.number))
      } else {
        let candidates = index.matching(ten, digits: 1) + index.matching(hundred, digits: 2)
        info = try await callers.complete(Set(candidates)).isEmpty ? PhoneInfo() : .inRange
        info.apply(personal.entry(hash, ten, hundred))
      }
      return info
    }
    return answer(info, format)
  }

  /// Answers about all numbers and ranges with the beginnings of three hashes.
  @Sendable func checkPrefix(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let prefix = try Self.prefix(request, "sha1") else { throw PhoneBlockError.missing("sha1") }
    let (ten, hundred) = (try Self.prefix(request, "prefix10"), try Self.prefix(request, "prefix100"))
    let reporter = try pseudonymizer.pseudonym(of: request, context: context)
    let time = Date()
    let answer = try await withDeadline { [callers, ranges] in
      let found = try await callers.listed(prefix, for: reporter, at: time)
      let index = try await ranges.index()
      let (tens, hundreds) = (index.matching(ten, digits: 1), index.matching(hundred, digits: 2))
      let around = found.callers.filter(\.mayBlock).compactMap { index.around($0.number) }
      let complete = try await callers.complete(Set(tens + hundreds + around))
      var infos = found.callers.map { caller in
        PhoneInfo(
          caller, isInRange: index.around(caller.number).map(complete.contains) ?? false, at: time)
      }
      let personal = PersonalList(found.personal)
      for entry in personal.exact(prefix) where !found.callers.contains(where: { $0.number == entry.number }) {
        infos.append(PhoneInfo(unlisted: entry.number))
      }
      for place in infos.indices {
        infos[place].apply(Int64(infos[place].phone.dropFirst()).flatMap(personal.entry))
      }
      return PrefixAnswer(
        numbers: infos.filter(\.hasContent), range10: tens.filter(complete.contains).map(RangeInfo.init),
        range100: hundreds.filter(complete.contains).map(RangeInfo.init))
    }
    metrics.note(answer.numbers.isEmpty && answer.range10.isEmpty && answer.range100.isEmpty ? .unlisted : .listed)
    var body = JSON.encode(answer)
    // White space hides how many numbers the answer has.
    body.writeRepeatingByte(UInt8(ascii: " "), count: HashAnswer.padding(after: body.readableBytes))
    return Response(status: .ok, headers: [.contentType: JSON.contentType], body: .init(byteBuffer: body))
  }

  @Sendable func number(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let number = try numbers.read(component: try context.parameters.require("number"), isInternational: true).digits
    let format = try PhoneBlockFormat(request)
    let reporter = try pseudonymizer.pseudonym(of: request, context: context)
    let time = Date()
    let info = try await withDeadline { [callers, ranges] in
      let found = try await callers.state(of: number, for: reporter, at: time)
      var info = PhoneInfo(unlisted: number)
      switch found.state {
      case .listed(let caller):
        info = PhoneInfo(
          caller, isInRange: try await callers.isInRange(caller, try await ranges.index()), at: time)
      case .allowed: info.whiteListed = true
      case .unlisted: break
      }
      info.apply(PersonalList(found.personal).entry(number))
      return info
    }
    return answer(info, format)
  }

  private func answer(_ info: PhoneInfo, _ format: PhoneBlockFormat) -> Response {
    metrics.note(info)
    return switch format {
    case .json: JSON.response(info)
    case .xml: PhoneBlockFormat.xml(info.xml)
    }
  }

  /// A complete hash; nil for a missing or a malformed one.
  private static func complete(_ request: Request, _ name: String) -> NumberSHA1Prefix? {
    request.uri.queryParameters[Substring(name)].flatMap { NumberSHA1Prefix($0) }.flatMap { $0.isComplete ? $0 : nil }
  }

  /// The beginning of a hash; nil for a missing one.
  /// - Throws: ``PhoneBlockError`` for a malformed one.
  private static func prefix(_ request: Request, _ name: String) throws -> NumberSHA1Prefix? {
    guard let text = request.uri.queryParameters[Substring(name)], !text.isEmpty else { return nil }
    guard let prefix = NumberSHA1Prefix(text) else { throw PhoneBlockError.invalidPrefix(name) }
    return prefix
  }
}

extension CallerStore {
  /// Whether all numbers of the block around a number may be blocked.
  fileprivate func isInRange(_ caller: ListedCaller, _ index: ListedRanges.Index) async throws -> Bool {
    guard caller.mayBlock, let block = index.around(caller.number) else { return false }
    return try await !complete([block]).isEmpty
  }

  /// The given listed blocks that have no number that may not be blocked since the publication.
  fileprivate func complete(_ blocks: Set<ListedRanges.Block>) async throws -> Set<ListedRanges.Block> {
    // Complete hundreds and tens of one answer do not overlap.
    let disputed = try await disputed(in: blocks.map(\.numbers).sorted { $0.lowerBound < $1.lowerBound })
    return blocks.filter { block in !disputed.contains { $0.overlaps(block.numbers) } }
  }
}

/// The answer of `/check-prefix`.
private struct PrefixAnswer: Encodable {
  let numbers: [PhoneInfo]
  let range10: [RangeInfo]
  let range100: [RangeInfo]
}

/// A range in the answer of `/check-prefix`.
private struct RangeInfo: Encodable {
  let prefix: String
  let votes: Int
  /// The count of its members.
  let cnt: Int

  init(_ block: ListedRanges.Block) {
    prefix = "+\(block.prefix)"
    votes = PhoneBlockVotes.listed
    cnt = block.numbers.count
  }
}

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
    // Of a day: a sum of constant values is as many as the days of its time constant.
    heat = (caller.heat(at: time) / (Decay.heat.timeConstant / 86_400) * 100).rounded() / 100
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

enum PhoneBlockFormat {
  case json, xml

  /// XML where the query or `Accept` asks for it, otherwise JSON.
  /// - Throws: ``PhoneBlockError`` for another format.
  init(_ request: Request) throws {
    switch request.uri.queryParameters["format"] {
    case "xml": self = .xml
    case "json": self = .json
    case nil: self = request.headers[.accept]?.lowercased().hasSuffix("/xml") ?? false ? .xml : .json
    case .some(let other): throw PhoneBlockError.invalid("format", other, "json or xml")
    }
  }

  static func xml(_ text: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/xml; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}

/// Votes of PhoneBlock from the evidence of a listed number.
enum PhoneBlockVotes {
  /// The minimum votes of a number to block, and the votes of a range.
  static let listed = ExportOptions.listedVotes

  /// The steps of votes in block lists.
  static let buckets = [2, 4, 10, 20, 50, 100]

  /// 0 for a number that may not be blocked.
  static func votes(of caller: ListedCaller, at time: Date) -> Int {
    guard caller.mayBlock, !caller.isAllowed else { return 0 }
    switch caller.cause {
    case .range, .decision: return listed
    case .reports:
      let evidence = caller.evidence(at: time)
      return max(listed, Explanation.coarseCount(Int(max(0, evidence.complaints - evidence.legitimate).rounded())))
    }
  }

  /// The votes as block lists have them, rounded down to a step.
  static func bucket(_ votes: Int) -> Int { buckets.last { $0 <= votes } ?? 0 }
}
