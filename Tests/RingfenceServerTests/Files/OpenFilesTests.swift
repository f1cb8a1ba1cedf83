// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import NIOCore
import TestSupport
import Testing

@testable import HTTPServer

struct OpenFilesTests {
  @Test func `readers of a file share one descriptor`() async throws {
    try await withTemporaryFolder { folder in
      try Data("one".utf8).write(to: URL(filePath: "\(folder)/a"))
      let files = OpenFiles()
      let opened = try await withThrowingTaskGroup(of: OpenFile?.self) { group in
        for _ in 0..<20 { group.addTask { try await files.file(at: "\(folder)/a") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(opened.compactMap { $0?.descriptor }).count == 1)
      #expect(await files.openCount == 1)
    }
  }

  @Test func `a replaced file is opened again`() async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/a"
      let files = OpenFiles()
      #expect(try await files.file(at: path) == nil)
      try Data("one".utf8).write(to: URL(filePath: path))
      let one = try #require(try await files.file(at: path))
      try Data("two".utf8).write(to: URL(filePath: path), options: .atomic)
      let two = try #require(try await files.file(at: path))
      #expect(one.digest != two.digest)
      // Readers of the previous content can continue to read it.
      let contents = try [one, two].map { String(buffer: try $0.bytes(0..<3)) }
      #expect(contents == ["one", "two"])
      try FileManager.default.removeItem(atPath: path)
      #expect(try await files.file(at: path) == nil)
    }
  }

  @Test func `the digest of a file in the manifest is not computed`() async throws {
    try await withTemporaryFolder { folder in
      try Data("one".utf8).write(to: URL(filePath: "\(folder)/a"))
      let named = PackDigest.of(Array("what the manifest says".utf8))
      #expect(try await OpenFiles().file(at: "\(folder)/a", known: .init(bytes: 3, digest: named))?.digest == named)
      // A file of another length is a different one.
      let other = try await OpenFiles().file(at: "\(folder)/a", known: .init(bytes: 4, digest: named))
      #expect(other?.digest == PackDigest.of(Array("one".utf8)))
    }
  }

  @Test func `the number of open files is limited`() async throws {
    try await withTemporaryFolder { folder in
      for name in ["a", "b", "c", "d"] { try Data(name.utf8).write(to: URL(filePath: "\(folder)/\(name)")) }
      let files = OpenFiles(capacity: 1, limit: 3)
      var held: [OpenFile?] = []
      for name in ["a", "b", "c"] { held.append(try await files.file(at: "\(folder)/\(name)")) }
      #expect(await files.openCount == 3)
      await #expect(throws: Problem.self) { try await files.file(at: "\(folder)/d") }
      held[0] = nil
      #expect(try await files.file(at: "\(folder)/d") != nil)
      held = []
      #expect(await files.openCount == 1)
    }
  }
}
