// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation

/// The listing of a number.
public struct Listing: Sendable, Equatable, Codable {
  /// The category, such as `fraud`.
  public let category: String
  /// The label to show.
  public let label: String
  /// Whether calls may be blocked; otherwise the number is only identified.
  public let block: Bool
}

extension RingfenceClient {
  /// Looks a number up without telling the server which one.
  ///
  /// The server receives the first four hex digits of the number's SHA-256, and returns all listed numbers with these
  /// digits. One in 65,536 numbers has them. The client compares the rest. Responses are kept in memory for one hour.
  ///
  /// ```swift
  /// if let listing = try await client.listing(of: 49_30_1234), listing.block { warn(listing.label) }
  /// ```
  /// - Parameter number: E.164 digits, without the plus.
  /// - Returns: nil when the number is not listed.
  /// - Throws: ``ClientError``: `network`, `key`, `status`; `CancellationError`.
  public func listing(of number: Int64) async throws -> Listing? {
    let hash = PackDigest.of(Array("+\(number)".utf8)).hex
    let prefix = String(hash.prefix(4))
    let now = environment.now()
    if let known = hashCache.answer(prefix, at: now) { return known[hash] ?? hashCache.ranges?.listing(of: number) }
    let request = ClientRequest(
      "GET", configuration.server.appendingPathComponent("numbers/by-hash/\(prefix)"),
      fields: ["Authorization": "Bearer \(configuration.key)"])
    let (head, data) = try await transport.send(request, limit: 4 << 20)
    if let refusal = head.keyRefusal() { throw ClientError.key(refusal) }
    guard head.status == 200 else { throw ClientError.status(head.status) }
    guard let answer = try? JSONDecoder().decode(HashedListings.self, from: data), answer.prefix == prefix else {
      throw ClientError.network("The response does not match the request.")
    }
    let listings = Dictionary(
      answer.entries.map { ($0.hash, Listing(category: $0.category, label: $0.label, block: $0.block)) },
      uniquingKeysWith: { first, _ in first })
    let own = listings[hash]
    do {
      try await readRanges(answer.ranges, at: now)
      hashCache.keep(listings, for: prefix, at: now)
    } catch {
      // A listing of its own needs no ranges.
      guard own != nil else { throw error }
    }
    return own ?? hashCache.ranges?.listing(of: number)
  }

  /// Reads the listed ranges of a publication, unless they are known and, as other responses, not older than an hour:
  /// decisions and protections change them between publications.
  private func readRanges(_ offer: HashedListings.Ranges?, at now: Date) async throws {
    guard let offer else {
      hashCache.ranges = nil
      return
    }
    guard hashCache.ranges?.serial != offer.serial || !hashCache.isFresh(hashCache.rangesAt, at: now) else { return }
    let request = ClientRequest(
      "GET", configuration.server.appendingPathComponent("ranges"),
      fields: ["Authorization": "Bearer \(configuration.key)"])
    let (head, data) = try await transport.send(request, limit: 16 << 20)
    guard head.status == 200 else { throw ClientError.status(head.status) }
    guard let ranges = try? JSONDecoder().decode(ListedRanges.self, from: data) else {
      throw ClientError.network("The response is not a list of ranges.")
    }
    (hashCache.ranges, hashCache.rangesAt) = (ranges, now)
  }
}

/// The ranges that a publication lists.
struct ListedRanges: Decodable {
  private struct Range: Decodable {
    let first: String
    let last: String
    let category: String
    let label: String
    let block: Bool
  }

  let serial: Int64
  private let ranges: [Range]

  /// The listing of a number by its range.
  func listing(of number: Int64) -> Listing? {
    let range = ranges.first { range in
      guard let first = Int64(range.first.dropFirst()), let last = Int64(range.last.dropFirst()) else { return false }
      return first <= number && number <= last
    }
    return range.map { Listing(category: $0.category, label: $0.label, block: $0.block) }
  }
}

/// The response to a prefix.
private struct HashedListings: Decodable {
  struct Entry: Decodable {
    let hash: String
    let category: String
    let label: String
    let block: Bool
  }

  struct Ranges: Decodable {
    let serial: Int64
  }

  let prefix: String
  let entries: [Entry]
  /// Nil where no range is listed.
  let ranges: Ranges?
}

/// Responses of the last hour, in memory only: a file of them would reveal callers.
struct HashCache {
  /// The ranges of the newest publication; nil for none.
  var ranges: ListedRanges?
  /// When they were read.
  var rangesAt = Date.distantPast
  private var answers: [String: (at: Date, listings: [String: Listing])] = [:]
  private static let room = 32
  private static let lifetime = 3_600.0

  func answer(_ prefix: String, at now: Date) -> [String: Listing]? {
    guard let known = answers[prefix], isFresh(known.at, at: now) else { return nil }
    return known.listings
  }

  func isFresh(_ time: Date, at now: Date) -> Bool { (0..<Self.lifetime).contains(now.timeIntervalSince(time)) }

  mutating func keep(_ listings: [String: Listing], for prefix: String, at now: Date) {
    if answers.count >= Self.room, let oldest = answers.min(by: { $0.value.at < $1.value.at })?.key {
      answers[oldest] = nil
    }
    answers[prefix] = (now, listings)
  }
}
