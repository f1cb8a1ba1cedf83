internal import CallDirectory
internal import CallerPack
internal import Foundation

/// A load of packs into a simulated phone, measured.
struct ExtensionTrial {
  /// A rule of Call Directory that the packs made the extension break.
  struct Failure: Error, CustomStringConvertible { let description: String }

  var requests = 0
  var blocking = 0
  var identification = 0
  var removals = 0
  var seconds = 0.0
  /// Growth of the process's own memory at its highest reading, one every 500 calls; nil where unknown.
  var anonymousGrowth: Int?
  /// Growth of all its resident memory at its peak, programs and file pages included.
  var residentGrowth: Int?

  /// Makes a store that has packs already, as if the phone had them.
  ///
  /// - Throws: ``Failure``, and what the loader throws.
  static func prepare(_ store: URL, with packs: [URL]) throws {
    var trial = ExtensionTrial()
    try trial.load(
      ExtensionLoader(store: store, packs: packs), into: CallDirectorySimulator(keepsEntries: false),
      meter: Meter())
  }

  /// Loads the packs as an extension would, request after request, until all is loaded: at first, or as changes
  /// to what a prepared store holds. The first measurement of a process is the true one: memory that an earlier
  /// load gave back would be used again unseen.
  ///
  /// - Throws: ``Failure``, and what the loader throws.
  static func run(packs: [URL], store: URL, isIncremental: Bool) throws -> ExtensionTrial {
    // The phone judges and keeps nothing: its memory is not the extension's.
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
      let report = try loader.feed(request)
      request.completeRequest { _ in }
      let outcome = request.end()
      if let fault = outcome.fault { throw Failure(description: "the phone rejects the list: \(fault)") }
      if outcome.droppedLabels > 0 {
        throw Failure(description: "the phone drops \(outcome.droppedLabels) entries because of their labels")
      }
      if let fault = report.faults.first { throw Failure(description: fault) }
      try loader.settle()
      meter.read()
      requests += 1
      blocking += report.blockingAdded
      identification += report.identificationAdded
      removals += report.blockingRemoved + report.identificationRemoved
    } while !loader.isWhole()
  }

  var text: String {
    var text = "as an extension: \(blocking) to block, \(identification) to identify and \(removals) to remove "
    text += "in \(requests) \(requests == 1 ? "request" : "requests"), " + String(format: "%.2f s\n", seconds)
    if let anonymousGrowth, let residentGrowth {
      text += "memory: \(anonymousGrowth / 1_024) KB of its own, \(residentGrowth / 1_024) KB resident at the peak\n"
    }
    return text
  }

  /// Readings of this process's memory against the first.
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
