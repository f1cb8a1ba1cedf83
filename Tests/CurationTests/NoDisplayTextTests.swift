// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Curation returns codes with values: text is made by Localization.
@Suite struct NoDisplayTextTests {
  /// Labels of categories are published data; messages of preconditions are for programmers.
  private static let exceptions: Set = ["RecipeLabels.swift"]

  @Test func `string literals contain no sentences`() throws {
    let folder = "\(Checkout.root)/Sources/Curation"
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
    #expect(files.count > 40)
    for file in files where !Self.exceptions.contains(URL(filePath: file).lastPathComponent) {
      let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
      for line in text.split(separator: "\n") where !line.contains("precondition(") {
        let code = line.replacing(/\/\/.*/, with: "").replacing(/\\\((?:[^()]|\([^()]*\))*\)/, with: "")
        for literal in code.matches(of: /"([^"]*)"/) {
          #expect(literal.1.firstMatch(of: /\p{L}{2,} \p{L}{2,}/) == nil, "\(file): \(literal.1)")
        }
      }
    }
  }
}
