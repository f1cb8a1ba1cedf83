// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackFormats
import TestData
import Testing

@Suite struct GzipFileTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  private func content(_ file: URL) throws -> [UInt8] {
    let reader = try GzipFileReader(file)
    var content: [UInt8] = []
    while let piece = try reader.read() { content += piece }
    return content
  }

  /// Content that compresses well, so that one piece of the file gives many of the content, and random bytes.
  @Test(arguments: [0, 1, 65_536, 65_537, 1_000_000]) func `a written file is read back`(count: Int) throws {
    var generator = SeededGenerator(seed: 7)
    let random = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    for (name, bytes) in [("even", [UInt8](repeating: 0x61, count: count)), ("random", random)] {
      let writer = try GzipFileWriter(scratch[name])
      for start in stride(from: 0, to: count, by: 10_000) {
        try writer.write(Array(bytes[start..<min(start + 10_000, count)]))
      }
      #expect(!FileManager.default.fileExists(atPath: scratch[name].path))
      try writer.finish()
      #expect(try content(scratch[name]) == bytes)
    }
  }

  @Test func `a file that ends early or is damaged is refused`() throws {
    let writer = try GzipFileWriter(scratch["file"])
    try writer.write((0..<100_000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) })
    try writer.finish()
    let bytes = try Data(contentsOf: scratch["file"])
    var changed = bytes
    changed[changed.count - 5] ^= 1
    for damaged in [Data(bytes.dropLast()), Data(bytes.prefix(20)), Data(), changed] {
      try damaged.write(to: scratch["file"])
      #expect(throws: PackFormatError.self) { try content(scratch["file"]) }
    }
  }
}
