// SPDX-License-Identifier: Apache-2.0

import Curation
import TestSupport
import Testing

/// The JSON of every code, as it is in databases and in answers of the API.
@Suite struct CodedDataTests {
  /// The JSON of samples, which is read back.
  private func lines<Coded: CodedData>(_ samples: [Coded]) throws -> [String] {
    #expect(try samples.map { try Coded(json: $0.json) } == samples)
    #expect(Set(samples.map(\.code)) == Set(Coded.Code.allCases))
    return samples.map(\.json)
  }

  @Test func `every code has its JSON`() throws {
    let findings = try lines(CodedSamples.gateFindings) + lines(CodedSamples.publicationFailures)
    let failures = try lines(CodedSamples.revocationFailures) + lines(CodedSamples.deliveryFailures)
    let work = try lines(CodedSamples.sourceFailures) + lines(CodedSamples.jobSteps)
    let numbers =
      try lines(CodedSamples.holdReasons) + lines(CodedSamples.usualBursts) + lines(CodedSamples.protectionReasons)
    try Golden.expect(findings + failures + work + numbers, in: "coded-data.txt")
  }

  @Test func `JSON of no code is refused`() {
    for json in [#"{"code":"unknown"}"#, #"{"entries":20}"#] {
      #expect(throws: DecodingError.self) { try GateFinding(json: json) }
    }
  }
}
