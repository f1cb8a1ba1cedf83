// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Foundation
import TestData

typealias Seeded = SeededGenerator

extension SeededGenerator {
  /// The seed of the golden files: a fixed offset keeps their content.
  init(_ seed: UInt64) { self.init(seed: seed &+ 0x9E37_79B9_7F4A_7C15) }
}

/// A folder that is removed with the value.
final class Folder {
  let path = NSTemporaryDirectory() + "/callerpack-" + UUID().uuidString
  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: path) }
  func file(_ name: String) -> String { path + "/" + name }
  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }
}

func contents(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

/// Writes entries to a pack and returns its bytes.
func packBytes(_ entries: [PackEntry], _ options: PackWriter.Options) throws -> [UInt8] {
  let folder = try Folder()
  let writer = try PackWriter(path: folder.file("a"), options: options)
  for entry in entries { try writer.append(entry) }
  try writer.finish()
  return try contents(folder.file("a"))
}

func entries(_ reader: PackReader) throws -> [PackEntry] {
  let cursor = try reader.makeCursor()
  var list: [PackEntry] = []
  while try cursor.next() { list.append(cursor.entry) }
  return list
}

/// Entries of a kind, similar to real lists: clustered numbers, labels that repeat completely and in part.
func randomEntries(_ kind: PackKind, count: Int, _ random: inout Seeded) -> [PackEntry] {
  let words = ["Taco", "Bell", "Dr", "école", "学校", "of", "the", "Ünlü", "🏥", "North", "a"]
  var number: Int64 = 0
  var last = "Scam"
  var list: [PackEntry] = []
  for _ in 0..<count {
    let step = Int64.random(in: 1...(Int.random(in: 0..<4, using: &random) == 0 ? 5_000_000_000 : 4), using: &random)
    number += step
    guard number <= PackLimits.maxNumber else { break }
    if Int.random(in: 0..<3, using: &random) > 0 {
      last = (0..<Int.random(in: 1...4, using: &random)).map { _ in words.randomElement(using: &random)! }
        .joined(separator: " ")
      if Int.random(in: 0..<40, using: &random) == 0 { last = String(repeating: "x\(number) ", count: 60) }
    }
    let roles: PackRoles =
      switch kind {
      case .blocking: .blocks
      case .identification: .identifies
      case .both: [.blocks, .identifies, [.blocks, .identifies]].randomElement(using: &random)!
      }
    list.append(PackEntry(number: number, label: roles.contains(.identifies) ? last : nil, roles: roles))
  }
  return list
}

/// Runs a program and returns its output and its exit status.
func run(_ path: String, _ arguments: [String]) throws -> (output: String, status: Int32) {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: path)
  process.arguments = arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  try process.run()
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (String(decoding: data, as: UTF8.self), process.terminationStatus)
}

let testFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
