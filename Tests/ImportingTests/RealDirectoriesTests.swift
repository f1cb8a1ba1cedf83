// SPDX-License-Identifier: Apache-2.0

import Storage
import TestSupport
import Testing

@testable import Importing

/// Schools and hospitals of five countries, in the formats of their governments: fixtures, and the real files.
@Suite struct RealDirectoriesTests {
  private func expectImport(_ path: String, _ region: String, least: Int) async throws {
    let trial = try await DirectoryTrial("", region: region, path: path)
    #expect(trial.summary.entries >= least)
    #expect(trial.summary.rejectedRows * 20 <= trial.summary.rows)
    #expect(trial.entries.map(\.number) == trial.entries.map(\.number).sorted())
  }

  @Test(arguments: ["FR", "NZ", "SG", "GB", "US"]) func `the directory fixtures are read without options`(
    region: String
  ) async throws {
    let name = region == "GB" ? "uk" : region.lowercased()
    try await expectImport(Checkout.fixture("directory/\(name).csv"), region, least: 40)
  }

  @Test(
    .sharedData("data/directory"),
    arguments: [
      ("fr_ecoles_94.csv", "FR", 580), ("nz_schools.csv", "NZ", 2_300), ("sg_schools.csv", "SG", 320),
      ("uk_wales_schools.csv", "GB", 1_400), ("us_cms_hospitals.csv", "US", 4_500),
    ])
  func `the full-size directories are read without options`(file: String, region: String, least: Int) async throws {
    try await expectImport(try #require(Checkout.shared("data/directory/\(file)")), region, least: least)
  }
}
