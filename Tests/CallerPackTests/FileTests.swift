// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The item at a path before a file is written or read there.
@Suite struct FileTests {
  private func write(_ numbers: [Int64], to path: String) throws {
    let writer = try PackWriter(path: path, options: .init(kind: .blocking))
    for number in numbers { try writer.append(number) }
    try writer.finish()
  }

  /// A pipe and a folder represent everything that is not a regular file; a device would be lost in the same way.
  @Test func `a path that is not a regular file is not replaced`() throws {
    let folder = try Folder()
    try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
    try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
    try write([1, 2], to: folder.file("a"))
    try write([1, 3], to: folder.file("b"))
    let a = try PackReader.open(path: folder.file("a")), b = try PackReader.open(path: folder.file("b"))
    try DeltaBuilder.build(from: a, to: b, out: folder.file("d"))
    let delta = try PackDelta.open(path: folder.file("d"))
    for name in ["pipe", "folder"] {
      let path = folder.file(name)
      for work in [
        { try write([1], to: path) }, { _ = try DeltaBuilder.build(from: a, to: b, out: path) },
        { _ = try delta.apply(base: a, to: path) },
      ] {
        let error = #expect(throws: PackError.self) { try work() }
        #expect(error?.code == .inputOutput && error?.rule == "\(path) is there and is not a regular file")
      }
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG)
    }
    #expect(folder.names.sorted() == ["a", "b", "d", "folder", "pipe"])
  }

  @Test func `opening a pipe is refused without waiting`() throws {
    let folder = try Folder()
    try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
    let error = #expect(throws: PackError.self) { try PackReader.open(path: folder.file("pipe")) }
    #expect(error?.code == .inputOutput)
  }

  @Test func `a symbolic link stays and its target is replaced`() throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(atPath: folder.file("packs"), withIntermediateDirectories: false)
    try write([1], to: folder.file("packs/1"))
    try FileManager.default.createSymbolicLink(atPath: folder.file("now"), withDestinationPath: "packs/1")
    try write([1, 2], to: folder.file("now"))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("now")) == "packs/1")
    #expect(try PackReader.open(path: folder.file("packs/1")).header.entryCount == 2)
    #expect(folder.names.sorted() == ["now", "packs"])
  }

  /// Proving a delta does not change other files in its folder.
  @Test func `building a delta changes no other file of the folder`() throws {
    let folder = try Folder()
    try write([1, 2], to: folder.file("a"))
    try write([1, 3], to: folder.file("b"))
    try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.file("d.proof")))
    try DeltaBuilder.build(
      from: PackReader.open(path: folder.file("a")), to: PackReader.open(path: folder.file("b")), out: folder.file("d"))
    #expect(try contents(folder.file("d.proof")) == Array("mine".utf8))
    #expect(folder.names.sorted() == ["a", "b", "d", "d.proof"])
  }
}
