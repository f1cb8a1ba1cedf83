import Storage
import TestSupport
import Testing

@testable import Importing

/// Schools and hospitals of five countries, as their governments write them.
@Suite struct RealDirectoriesTests {
  static let files: [(file: String, region: String, least: Int)] = [
    ("fr_ecoles_94.csv", "FR", 580), ("nz_schools.csv", "NZ", 2_300), ("sg_schools.csv", "SG", 320),
    ("uk_wales_schools.csv", "GB", 1_400), ("us_cms_hospitals.csv", "US", 4_500),
  ]

  @Test(arguments: files) func theFileIsReadWithoutOptions(file: String, region: String, least: Int) async throws {
    guard let path = Checkout.shared("data/directory/\(file)") else { return }
    let trial = try await DirectoryTrial("", region: region, path: path)
    print("\(file): \(trial.summary)")
    #expect(trial.summary.entries >= least)
    #expect(trial.summary.rejectedRows * 20 <= trial.summary.rows)
    #expect(trial.entries.map(\.number) == trial.entries.map(\.number).sorted())
  }
}
