// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads the writers' output independently with Python's standard library.
enum Python {
  struct Failure: Error, CustomStringConvertible { let description: String }

  /// Runs a script with arguments, and decodes the JSON that it prints.
  static func run<Answer: Decodable>(_ script: String, _ arguments: String..., as: Answer.Type) throws -> Answer {
    let output = try execute(["python3", "-c", script] + arguments)
    return try JSONDecoder().decode(Answer.self, from: output)
  }

  /// Runs a program found on the path, and returns its standard output.
  static func execute(_ command: [String], input: URL? = nil) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = try input.map { try FileHandle(forReadingFrom: $0) } ?? FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(command[0]) ended with \(process.terminationStatus)")
    }
    return data
  }
}

/// A temporary folder for one test.
final class Scratch {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("ringfence-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  subscript(name: String) -> URL { folder.appendingPathComponent(name) }

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted() }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
