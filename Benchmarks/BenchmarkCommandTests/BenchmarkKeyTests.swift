// SPDX-License-Identifier: Apache-2.0

import Foundation
import RingfenceCommand
import Testing

@testable import BenchmarkCommand

@Suite struct BenchmarkKeyTests {
  @Test func `a missing key file is named with the next step`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).txt").path
    let failure = try #require(throws: CommandFailure.self) {
      try BenchmarkKey.find(file: path, settings: Settings())
    }
    #expect(
      failure.description.hasPrefix(
        "Cannot read key file \"\(path)\": no such file. Pass --key-file or set RINGFENCE_API_KEY."))
  }
}
