// SPDX-License-Identifier: Apache-2.0

internal import CallDirectory
internal import CallerPack
internal import Foundation

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
        throw Failure(description: "the phone drops \(outcome.droppedLabels) entries because of their labels")
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
    text += "in \(requests) \(requests == 1 ? "request" : "requests"), " + String(format: "%.2f s\n", seconds)
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
