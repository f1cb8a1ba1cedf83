// SPDX-License-Identifier: Apache-2.0

import Support
import ArgumentParser
import Foundation
import Importing
import Intake

struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", abstract: "Generate test data; the same arguments give the same data.",
    subcommands: [Complaints.self, Directory.self], defaultSubcommand: Complaints.self)
}

extension SimulateCommand {
  /// `ringfence simulate`, `ringfence simulate complaints`
  struct Complaints: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Generate complaints as JSON Lines, for: ringfence import complaints.")

    @Option(help: "Seed of the random numbers; the same seed gives the same data.")
    var seed: UInt64 = 1

    @Option(help: .value("count", "Number of complaints, 1 to 100000000."))
    var complaints = 20_000

    @Option(help: .value("time", "Time of the last complaints (RFC 3339)."))
    var endingAt = "2026-11-21T00:00:00Z"

    @Option(help: .value("days", "Number of days with complaints, 1 to 3650."))
    var days = 90

    @Flag(help: "Use only US numbers that are reserved for fiction; at most about 40000 complaints.")
    var fictional = false

    @Option(help: .value("file", "File to write, or - for standard output."))
    var out = "-"

    func validate() throws {
      try check(complaints, "--complaints", in: 1...ComplaintSimulator.maximumCount)
      try check(days, "--days", in: 1...3_650)
      guard Timestamp.parse(endingAt) != nil else {
        throw ValidationError("--ending-at \"\(endingAt)\" is not an RFC 3339 time. Write it as 2026-11-21T00:00:00Z.")
      }
    }

    func run() async throws {
      guard let end = Timestamp.parse(endingAt) else { return }
      let simulator = try ComplaintSimulator.standard(
        seed: seed, complaints: complaints, isFictional: fictional, endingAt: end, days: days)
      try simulator.write(to: out)
    }
  }
}

extension ComplaintSimulator {
  /// Complaints with about five per number and four per reporter, about numbers of the United States.
  /// - Parameter isFictional: draws only numbers that are reserved for fiction.
  static func standard(
    seed: UInt64, complaints: Int, isFictional: Bool, endingAt end: Date, days: Int = 90
  ) throws -> ComplaintSimulator {
    try ComplaintSimulator(
      seed: seed, complaints: complaints, numbers: Swift.max(1, complaints / 5),
      reporters: Swift.max(1, complaints / 4), isFictional: isFictional,
      endingAt: end, days: days)
  }

  /// `-` is standard output.
  func write(to path: String) throws { try writeLines(to: path) }
}

extension Sequence<[UInt8]> {
  /// `-` is standard output.
  func writeLines(to path: String) throws {
    let handle: FileHandle
    if path == "-" {
      handle = .standardOutput
    } else {
      // Opened directly, because FileManager would replace a device or a link by a new file.
      let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      guard descriptor >= 0 else {
        throw CommandFailure.unreadable("Cannot write \(path). Check its folder and permissions.")
      }
      handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
    var buffer = Data()
    for line in self {
      buffer.append(contentsOf: line)
      if buffer.count >= 1 << 16 {
        try handle.write(contentsOf: buffer)
        buffer.removeAll(keepingCapacity: true)
      }
    }
    try handle.write(contentsOf: buffer)
    if path != "-" { try handle.close() }
  }
}
