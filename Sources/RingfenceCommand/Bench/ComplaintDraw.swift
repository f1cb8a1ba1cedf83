import Curation
import Foundation
import Importing
import PhoneNumbers
import Storage

/// Draws complaints, the same ones for the same seed, as pgbench's scripts do.
struct ComplaintDraw: Sendable {
  /// One complaint.
  struct Complaint {
    /// E.164 digits.
    let number: Int64
    let category: ReportCategory
    let reporter: Int
    /// A random UUID's halves: fresh in every run, so that no two runs send the same report.
    let identity: (UInt64, UInt64)
  }

  private static let categories = ReportCategory.allCases

  private let numbers: [Int64]
  private var chance: SplitMix64
  private var identities = SplitMix64(seed: .random(in: 0 ... .max))

  /// - Throws: ``CommandFailure`` when a number that is to be sent is not valid.
  init(seed: UInt64) throws {
    numbers = try (0..<BenchmarkDraw.numbers).map { rank in
      let digits = BenchmarkDraw.number(ofRank: rank)
      guard PhoneNumber(digits: digits)?.isValid == true else {
        throw CommandFailure.failed("+\(digits) is no valid number any more; this needs another area code.")
      }
      return digits
    }
    chance = SplitMix64(seed: seed)
  }

  /// The same numbers, drawn by another chance.
  func begun(at seed: UInt64) -> ComplaintDraw {
    var draw = self
    draw.chance = SplitMix64(seed: seed)
    draw.identities = SplitMix64(seed: .random(in: 0 ... .max))
    return draw
  }

  mutating func next() -> Complaint {
    let rank = BenchmarkDraw.rank(of: Double(chance.next() >> 11) * 0x1p-53)
    return Complaint(
      number: numbers[rank],
      category: Self.categories[chance.below(Self.categories.count)],
      reporter: chance.below(BenchmarkDraw.reporters), identity: (identities.next(), identities.next()))
  }
}

extension ComplaintDraw.Complaint {
  /// RFC 9562, version 4.
  var uuid: UUID {
    var bytes = withUnsafeBytes(of: (identity.0.bigEndian, identity.1.bigEndian)) { $0.load(as: uuid_t.self) }
    bytes.6 = bytes.6 & 0x0f | 0x40
    bytes.8 = bytes.8 & 0x3f | 0x80
    return UUID(uuid: bytes)
  }

  /// As the server stores it, with a pseudonym of its own.
  func report(at time: Date) -> Report {
    let reporter = withUnsafeBytes(of: (UInt64(0), UInt64(reporter).bigEndian)) { Array($0) }
    return Report(
      number: number, appID: 1, reportID: uuid, reportedAt: time, category: category, reporter: reporter)
  }
}
