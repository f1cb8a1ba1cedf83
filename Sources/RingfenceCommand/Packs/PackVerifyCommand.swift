// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CallDirectory
import CallerPack
import Foundation
import PackCommands

/// `ringfence pack verify`: checks packs, as files and in a simulated phone.
struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: PackVerifyCommand.configuration.abstract,
    discussion: """
      An invalid pack is named, and the others are still verified. With --as-extension, a separate process loads the packs by the rules of a Call Directory extension, in order of \
      priority, and measures its memory. With --from, it starts with older packs and measures the update.
      """)

  @OptionGroup var packs: PackVerifyCommand
  @Flag(help: "Load the packs into a simulated phone and measure memory.") var asExtension = false
  @Option(help: .value("file", "Pack that the phone already has; can be repeated.")) var from: [String] = []
  @Option(help: ArgumentHelp("Be the process that is measured, with this store.", visibility: .private))
  var store: String?

  func validate() throws {
    guard from.isEmpty || asExtension else {
      throw ValidationError("--from needs --as-extension. Pass both, or leave --from out.")
    }
  }

  func run() async throws {
    if asExtension, let store {
      return try Self.reporting { try loadIntoPhone(URL(fileURLWithPath: store)) }
    }
    try Self.reporting {
      try packs.verify()
      guard asExtension else { return }
      let store = FileManager.default.temporaryDirectory.appendingPathComponent("ringfence-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: store) }
      if !from.isEmpty { try ExtensionTrial.prepare(store, with: from.map { URL(fileURLWithPath: $0) }) }
      if FileManager.default.fileExists(atPath: Self.executable), !Self.measuresItself {
        try measure(Self.executable, store)
      } else {
        try loadIntoPhone(store)
      }
    }
  }

  private static let executable = "/proc/self/exe"
  /// Whether this process is measured, as in tests.
  @TaskLocal static var measuresItself = false

  private static func reporting(_ work: () throws -> Void) throws {
    try PackExitCode.report(
      known: {
        switch $0 {
        case CallDirectoryError.file: PackExitCode.inputOutput
        case is CallDirectoryError, is ExtensionTrial.Failure: PackExitCode.badData
        default: nil
        }
      }, work)
  }

  private func loadIntoPhone(_ store: URL) throws {
    let packs = packs.files.map { URL(fileURLWithPath: $0) }
    let trial = try ExtensionTrial.run(packs: packs, store: store, isIncremental: !from.isEmpty)
    PackConsole.current.output(trial.text)
  }

  /// Starts this program again for the load, so that the earlier memory of this process is not measured.
  private func measure(_ executable: String, _ store: URL) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable).resolvingSymlinksInPath()
    let older = from.flatMap { ["--from", $0] }
    process.arguments = ["pack", "verify", "--as-extension", "--store", store.path] + older + ["--"] + packs.files
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    PackConsole.current.output(String(decoding: text, as: UTF8.self))
    guard process.terminationReason == .exit else {
      throw ExtensionTrial.Failure(
        description: "the process of the simulated phone was killed by a signal; check the available memory")
    }
    guard process.terminationStatus == 0 else { throw ExitCode(process.terminationStatus) }
  }
}

/// Measures the load of packs into a simulated phone.
struct ExtensionTrial {
  /// A violation of a Call Directory rule, caused by the packs.
  struct Failure: Error, CustomStringConvertible { let description: String }

  var requests = 0
  var blocking = 0
  var identification = 0
  var removals = 0
  var seconds = 0.0
  /// Growth of the process's private memory at its highest reading, one every 500 calls; nil if unknown.
  var anonymousGrowth: Int?
  /// Growth of the resident memory at its peak, including programs and file pages.
  var residentGrowth: Int?

  /// Prepares a store that already has packs, as on a phone with loaded packs.
  ///
  /// - Throws: ``Failure``, and errors of the loader.
  static func prepare(_ store: URL, with packs: [URL]) throws {
    var trial = ExtensionTrial()
    try trial.load(
      ExtensionLoader(store: store, packs: packs), into: CallDirectorySimulator(keepsEntries: false),
      meter: Meter())
  }

  /// Loads the packs as an extension would, in repeated requests: completely, or as changes to a prepared store. Only
  /// the first measurement of a process is correct, because a later load would reuse freed memory.
  ///
  /// - Throws: ``Failure``, and errors of the loader.
  static func run(packs: [URL], store: URL, isIncremental: Bool) throws -> ExtensionTrial {
    // The simulator checks entries without storing them, because a phone's memory is not the extension's.
    let phone = CallDirectorySimulator(keepsEntries: false)
    phone.nextIsIncremental = isIncremental
    var trial = ExtensionTrial()
    let meter = Meter()
    let start = ContinuousClock.now
    try trial.load(ExtensionLoader(store: store, packs: packs), into: phone, meter: meter)
    let time = start.duration(to: .now).components
    trial.seconds = Double(time.seconds) + Double(time.attoseconds) / 1e18
    (trial.anonymousGrowth, trial.residentGrowth) = meter.growth
    return trial
  }

  private mutating func load(
    _ loader: ExtensionLoader, into phone: CallDirectorySimulator, meter: Meter
  ) throws {
    repeat {
      try loader.prepareReload()
      let request = phone.beginRequest(batch: 500, onBatch: { meter.read() })
      let report = try loader.load(request)
      request.completeRequest { _ in }
      let outcome = request.end()
      if let fault = outcome.fault { throw Failure(description: "the phone rejects the list: \(fault)") }
      if outcome.droppedLabels > 0 {
        let dropped = TextFormat.count(outcome.droppedLabels, "entry", "entries")
        throw Failure(description: "the phone drops \(dropped) because of the labels")
      }
      if let fault = report.faults.first { throw Failure(description: fault) }
      try loader.confirmReload()
      meter.read()
      requests += 1
      blocking += report.blockingAdded
      identification += report.identificationAdded
      removals += report.blockingRemoved + report.identificationRemoved
    } while !loader.isComplete()
  }

  var text: String {
    var text = "as an extension: \(blocking) to block, \(identification) to identify and \(removals) to remove "
    text += "in \(TextFormat.count(requests, "request")), " + String(format: "%.2f s\n", seconds)
    if let anonymousGrowth, let residentGrowth {
      text += "memory: \(anonymousGrowth / 1_024) KB of its own, \(residentGrowth / 1_024) KB resident at the peak\n"
    }
    return text
  }

  /// Compares readings of this process's memory with the first one.
  private final class Meter {
    #if os(Linux)
      private let first: ProcessMemory?
      private var anonymous = 0

      init() {
        ProcessMemory.resetPeak()
        first = ProcessMemory.now()
      }

      func read() { anonymous = max(anonymous, ProcessMemory.now()?.anonymousBytes ?? 0) }

      var growth: (Int?, Int?) {
        guard let first, let last = ProcessMemory.now() else { return (nil, nil) }
        return (max(0, anonymous - first.anonymousBytes), max(0, last.peakBytes - first.residentBytes))
      }
    #else
      func read() {}
      var growth: (Int?, Int?) { (nil, nil) }
    #endif
  }
}
