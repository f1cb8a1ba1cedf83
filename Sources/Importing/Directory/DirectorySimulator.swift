// SPDX-License-Identifier: Apache-2.0

import Foundation
import PhoneNumbers
public import Storage

/// Generates a business directory, the same bytes for the same arguments: tab-separated lines with a header.
///
/// Numbers are distinct except for about one in a hundred, which is repeated with another name; a few cells contain
/// two, and about one row in three hundred has an invalid number. They may be someone's: never publish a pack made of
/// them. More than half of the rows belong to chains, drawn by their number of branches.
public struct DirectorySimulator: Sendable, Sequence {
  public struct Chain: Sendable, Equatable {
    /// Such as `amenity/bank`.
    public var category: String
    public var name: String
    /// 1 or more.
    public var branches: Int

    /// Reads the chains of a JSON object, `"kind|name": branches`; at most 64 MB.
    /// - Throws: ``ImportFileError/cannotRead(path:reason:)``.
    public static func read(contentsOf path: String) throws(ImportFileError) -> [Chain] {
      let object: [String: Int]
      do {
        let handle = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? handle.close() }
        object = try JSONDecoder().decode([String: Int].self, from: try handle.read(upToCount: 64 << 20) ?? Data())
      } catch {
        throw .cannotRead(path: path, reason: "it is no JSON object of names and counts")
      }
      return object.sorted { $0.key < $1.key }.compactMap { key, branches in
        let parts = key.split(separator: "|", maxSplits: 1)
        guard parts.count == 2, branches > 0 else { return nil }
        return Chain(category: String(parts[0]), name: String(parts[1]), branches: branches)
      }
    }
  }

  public static let maximumRows = 100_000_000

  private let seed: UInt64
  private let rows: Int
  private let chains: [Chain]
  private let branchesBefore: [Int]
  /// E.164 prefixes of 4 digits, 1 and an area code.
  private let prefixes: [Int64]

  /// - Parameters:
  ///   - rows: 1 to ``maximumRows``.
  ///   - chains: the chains; generated ones when empty.
  ///   - regions: regions of the United States, such as Resources/regions-us.tsv has.
  public init(seed: UInt64, rows: Int, chains: [Chain] = [], regions: [StoredRegion]) {
    self.seed = seed
    self.rows = rows
    self.chains = chains.isEmpty ? Self.someChains : chains
    var sum = 0
    branchesBefore = self.chains.map { chain in
      defer { sum += chain.branches }
      return sum
    }
    // The numbering plans may be older than an area code.
    prefixes = regions.flatMap(\.prefixes).filter { prefix in
      1_000..<2_000 ~= prefix && PhoneNumber(digits: prefix * 10_000_000 + 2_345_678)?.isValid == true
    }.sorted()
  }

  /// The header, then the rows.
  public func makeIterator() -> AnyIterator<[UInt8]> {
    var next = -1
    return AnyIterator {
      next += 1
      if next == 0 { return Array("phone\tname\tcategory\taddress\topening_hours\n".utf8) }
      return next <= rows && !prefixes.isEmpty ? line(next - 1) : nil
    }
  }

  private static let someChains = [
    Chain(category: "amenity/bank", name: "First Harbour Bank", branches: 900),
    Chain(category: "shop/supermarket", name: "Marché Vert", branches: 700),
    Chain(category: "amenity/pharmacy", name: "Аптека Ромашка", branches: 500),
    Chain(category: "amenity/restaurant", name: "金龙饭店", branches: 300),
  ]
  private static let owners = [
    "Abbott", "Baptiste", "Castillo", "Dvořák", "Eriksen", "Fernández", "García", "Huang", "Ivanova", "Jørgensen",
    "Kowalski",
    "Laurent", "Müller", "Nguyen", "O'Brien", "Petrov", "Quinn", "Rossi", "Schäfer", "Tanaka", "Usman", "Vargas",
    "Weiß",
  ]
  private static let trades = [
    "Plumbing", "Dental Practice", "Law Office", "Auto Repair", "Bakery", "Hair Studio", "Veterinary Clinic",
    "Insurance",
    "Roofing", "Florist", "Accounting", "Music School", "Locksmith", "Optician", "Nursery", "Moving & Storage",
  ]
  private static let streets = ["Main St", "Oak Ave", "Park Blvd", "2nd St", "Lake Dr", "Maple Ave", "Washington Ave"]
  private static let hours = ["Mo-Fr 09:00-17:00", "Mo-Sa 08:00-20:00", "24/7", "Mo-Fr 07:30-16:00; Sa 09:00-13:00"]

  /// A number that is distinct for each index: a step through all numbers whose size is coprime to their count.
  private func number(_ index: Int) -> Int64 {
    let space = UInt64(prefixes.count) * 8_000_000
    let place = (UInt64(index) &* 2_654_435_761 &+ seed % 1_000_003) % space
    return prefixes[Int(place / 8_000_000)] * 10_000_000 + 2_000_000 + Int64(place % 8_000_000)
  }

  private func line(_ index: Int) -> [UInt8] {
    var random = SplitMix64(seed: seed, purpose: UInt64(index) &+ 17)
    var line: [UInt8] = []
    line.reserveCapacity(160)
    let isAgain = index > 0 && random.chance(1)
    append(number(isAgain ? random.below(index) : index), &random, to: &line)
    // Numbers beyond the numbers of the rows, so that they are unique.
    if random.chance(1) {
      line.append(contentsOf: "; ".utf8)
      append(number(rows + index), &random, to: &line)
    }
    line.append(0x09)
    if random.chance(55) {
      let draw = random.below((branchesBefore.last ?? 0) + (chains.last?.branches ?? 1))
      let chain = chains[branchesBefore.partitioningIndex { $0 > draw } - 1]
      line.append(contentsOf: "\(chain.name)\t\(chain.category)".utf8)
    } else {
      let trade = random.pick(Self.trades)
      line.append(contentsOf: "\(random.pick(Self.owners)) & \(random.pick(Self.owners)) \(trade)\tcraft/\(trade)".utf8)
    }
    line.append(
      contentsOf: "\t\(1 + random.below(9_999)) \(random.pick(Self.streets)), \(10_000 + random.below(89_999))".utf8)
    line.append(contentsOf: "\t\(random.pick(Self.hours)); entry \(index)\n".utf8)
    return line
  }

  private func append(_ number: Int64, _ random: inout SplitMix64, to line: inout [UInt8]) {
    let digits = Array(String(number).utf8)
    let draw = random.below(300)
    switch draw {
    case 0: line.append(contentsOf: "call reception".utf8)
    case 1..<150:
      line.append(UInt8(ascii: "+"))
      line.append(contentsOf: digits)
    case 150..<230:
      line.append(contentsOf: digits[1...])
    case 230..<270:
      line.append(UInt8(ascii: "("))
      line.append(contentsOf: digits[1..<4])
      line.append(contentsOf: ") ".utf8)
      line.append(contentsOf: digits[4..<7])
      line.append(UInt8(ascii: "-"))
      line.append(contentsOf: digits[7...])
    default:
      line.append(contentsOf: digits[1..<4])
      line.append(UInt8(ascii: "-"))
      line.append(contentsOf: digits[4..<7])
      line.append(UInt8(ascii: "-"))
      line.append(contentsOf: digits[7...])
    }
  }
}
