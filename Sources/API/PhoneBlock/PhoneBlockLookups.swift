// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import PhoneNumbers
import Storage

/// `GET /phoneblock/api/check`, `/check-prefix` and `/num/{number}`
struct PhoneBlockLookups: Sendable {
  let callers: CallerStore
  let ranges: ApprovedRanges
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
        info = try await callers.complete(candidates).isEmpty ? PhoneInfo() : .inRange
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
      let around = found.callers.filter(\.mayBlock).flatMap { index.around($0.number) }
      let complete = try await callers.complete(Set(tens + hundreds + around).sorted { $0.first < $1.first })
      var infos = found.callers.map { caller in
        PhoneInfo(
          caller, isInRange: index.around(caller.number).contains(where: complete.contains), at: time)
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
    return JSON.response(answer)
  }

  /// Answers about a number.
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
  /// Whether a range with the number is approved and complete.
  fileprivate func isInRange(_ caller: ListedCaller, _ index: ApprovedRanges.Index) async throws -> Bool {
    guard caller.mayBlock else { return false }
    return try await !complete(index.around(caller.number)).isEmpty
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

  init(_ range: NumberRange) {
    prefix = "+\(range.first / range.size)"
    votes = PhoneBlockVotes.listed
    cnt = Int(range.size)
  }
}
