// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Support

@Suite struct CompleteFileTests {
  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test(arguments: [CompleteFile.Flush.nothing, .file, .fileAndFolder])
  func `a file has its former content until it is committed`(flush: CompleteFile.Flush) async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/list"
      try CompleteFile.replace(path, with: Array("old".utf8))
      let file = try CompleteFile(path, mode: 0o640)
      try Array("new".utf8).withUnsafeBytes { try file.write($0) }
      #expect(FileManager.default.contents(atPath: path) == Data("old".utf8))
      try file.commit(flushing: flush)
      #expect(FileManager.default.contents(atPath: path) == Data("new".utf8))
      #expect(try names(folder) == ["list"])
    }
  }

  @Test func `a file that is not committed leaves nothing`() async throws {
    try await withTemporaryFolder { folder in
      do {
        let file = try CompleteFile("\(folder)/list")
        try Array("part".utf8).withUnsafeBytes { try file.write($0) }
        // Where the file system can do it, the file has no name that the end of the process would leave.
        #expect(try names(folder).count == (file.isNamed ? 1 : 0))
      }
      #expect(try names(folder).isEmpty)
    }
  }

  @Test func `a leftover of a killed process is replaced`() async throws {
    try await withTemporaryFolder { folder in
      try Data("a longer leftover".utf8).write(to: URL(filePath: "\(folder)/list.new"))
      try CompleteFile.replace("\(folder)/list", with: Data("new".utf8), temporary: "\(folder)/list.new")
      #expect(FileManager.default.contents(atPath: "\(folder)/list") == Data("new".utf8))
      #expect(try names(folder) == ["list"])
    }
  }

  @Test func `a failure names the operation and the path`() async throws {
    try await withTemporaryFolder { folder in
      let missing = "\(folder)/missing/list"
      #expect(throws: FileFailure(path: missing, code: ENOENT, operation: .create)) { _ = try CompleteFile(missing) }
      #expect(throws: FileFailure(path: folder, code: EISDIR, operation: .replace)) {
        _ = try CompleteFile.target(of: folder)
      }
      try FileManager.default.createDirectory(atPath: "\(folder)/list", withIntermediateDirectories: false)
      #expect { try CompleteFile.replace("\(folder)/list", with: Data()) } throws: {
        ($0 as? FileFailure)?.operation == .rename
      }
      #expect(try names(folder) == ["list"])
    }
  }

  @Test func `the target of a symbolic link is replaced`() async throws {
    try await withTemporaryFolder { folder in
      try Data("old".utf8).write(to: URL(filePath: "\(folder)/list"))
      #expect(symlink("list", "\(folder)/link") == 0)
      let target = try CompleteFile.target(of: "\(folder)/link")
      #expect(target.hasSuffix("/list"))
      #expect(try CompleteFile.target(of: "\(folder)/new") == "\(folder)/new")
    }
  }

  @Test func `a partial file continues and has a limit`() async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/partial"
      do {
        let file = try PartialFile(path, limit: 5)
        #expect(try file.append(Data("abc".utf8)))
        #expect(try !file.append(Data("def".utf8)))
      }
      let file = try PartialFile(path, limit: 5)
      #expect(file.length == 3)
      #expect(try file.append(Data("de".utf8)))
      try file.finish()
      #expect(FileManager.default.contents(atPath: path) == Data("abcde".utf8))
      #expect(try PartialFile(path, limit: 4).length == 0)
    }
  }
}
