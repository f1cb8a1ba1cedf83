// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Importing
import PhoneNumbers
import RingfenceCommand
import Storage

/// Generates reports with the distribution of ``PgbenchScripts``, the same ones for the same seed.
struct ReportGenerator: Sendable {
  /// One report.
  struct GeneratedReport {
    /// E.164 digits.
    let number: Int64
    let category: ReportCategory
    /// 0..<``BenchmarkNumbers/reporters``.
    let reporter: Int
    /// The halves of a random UUID, new in every run, so that no two runs send the same report.
    let identity: (UInt64, UInt64)
  }

  private static let categories = ReportCategory.allCases

  private let numbers: [Int64]
  private let filled: Int
  private var random: SplitMix64
  private var identities = SplitMix64(seed: .random(in: 0 ... .max))

  /// - Parameter filled: numbers of the fill whose valid numbers are drawn, each as often; 0 for ``BenchmarkNumbers``.
  /// - Throws: ``CommandFailure`` when one of the numbers is not valid.
  init(seed: UInt64, filled: Int = 0) throws {
    self.filled = filled
    numbers = try (0..<BenchmarkNumbers.count).map { rank in
      let digits = BenchmarkNumbers.number(ofRank: rank)
      guard PhoneNumber(digits: digits)?.isValid == true else {
        throw CommandFailure.failed(
          "+\(digits) is not a valid number. Change BenchmarkNumbers.firstNumber to another area code.")
      }
      return digits
    }
    random = SplitMix64(seed: seed)
  }

  /// A generator of the same numbers with another seed.
  func reseeded(_ seed: UInt64) -> ReportGenerator {
    var generator = self
    generator.random = SplitMix64(seed: seed)
    generator.identities = SplitMix64(seed: .random(in: 0 ... .max))
    return generator
  }

  mutating func next() -> GeneratedReport {
    let rank = BenchmarkNumbers.rank(of: Double(random.next() >> 11) * 0x1p-53)
    return GeneratedReport(
      number: filled > 0 ? filledNumber() : numbers[rank],
      category: Self.categories[random.below(Self.categories.count)],
      reporter: random.below(BenchmarkNumbers.reporters), identity: (identities.next(), identities.next()))
  }
}

extension ReportGenerator {
  private mutating func filledNumber() -> Int64 {
    while true {
      let number = DrawnReports.number(ofIndex: Int64(random.below(filled)))
      if PhoneNumber(digits: number)?.isValid == true { return number }
    }
  }
}

extension ReportGenerator.GeneratedReport {
  /// RFC 9562, version 4.
  var uuid: UUID {
    var bytes = withUnsafeBytes(of: (identity.0.bigEndian, identity.1.bigEndian)) { $0.load(as: uuid_t.self) }
    bytes.6 = bytes.6 & 0x0f | 0x40
    bytes.8 = bytes.8 & 0x3f | 0x80
    return UUID(uuid: bytes)
  }

  /// The row that the server stores, with a pseudonym made of the reporter's index.
  func report(at time: Date) -> Report {
    let reporter = withUnsafeBytes(of: (UInt64(0), UInt64(reporter).bigEndian)) { Array($0) }
    return Report(
      number: number, appID: 1, reportID: uuid, reportedAt: time, category: category, reporter: reporter)
  }
}
