// SPDX-License-Identifier: Apache-2.0

internal import CallerPack

/// The knowledge about the system's store, kept across launches and kills.
///
/// A request goes through `feeding` (the state is unknown: if the process ends here, the system's store is empty) and
/// `sent` (all calls were made, the system has not answered) to `settled`. An extension that is killed before it can
/// write `feeding` leaves no trace, although the system has emptied its store. Therefore only one request may trust a
/// settled state, and the app announces that request by `ready`. The file is replaced at every step, and an invalid
/// file counts as missing.
struct LoadLedger: Equatable, Sendable {
  enum Phase: Equatable, Sendable {
    /// The content of the store is unknown.
    case unknown
    /// A request is running, or its process ended.
    case feeding
    /// All calls were made; the system has not answered.
    case sent(LoadedState)
    /// The system accepted the request.
    case settled(LoadedState)
    /// The system accepted the request, and the app has announced the next one.
    case ready(LoadedState)
  }

  var phase: Phase = .unknown
  /// The lists of the last complete load. They are loaded when the newest cannot be read.
  var lastGood: DirectorySnapshot?

  static let fileName = "ledger"

  /// The names of the files that must be kept.
  var neededFiles: Set<String> {
    var snapshots = [lastGood]
    switch phase {
    case .unknown, .feeding: break
    case .sent(let state), .settled(let state), .ready(let state): snapshots += [state.lists, state.before]
    }
    return Set(snapshots.compactMap { $0 }.flatMap(\.fileNames) + [Self.fileName])
  }

  /// Reads the ledger of a store; `unknown` when the file is missing or invalid.
  static func load(from folder: StoreFolder) -> LoadLedger {
    folder.read(fileName).flatMap { LoadLedger(bytes: $0) } ?? LoadLedger()
  }

  /// Writes the ledger of a store and flushes it to the disk.
  func save(in folder: StoreFolder) throws { try folder.replace(Self.fileName, with: bytes) }

  /// Lines of `key value`; the last line is the SHA-256 of the lines before.
  var bytes: [UInt8] {
    var text = "ringfence-ledger 1\n"
    if let lastGood { text += "good \(lastGood.text)\n" }
    let state: LoadedState?
    switch phase {
    case .unknown: (state, text) = (nil, text + "phase unknown\n")
    case .feeding: (state, text) = (nil, text + "phase feeding\n")
    case .sent(let sent): (state, text) = (sent, text + "phase sent\n")
    case .settled(let settled): (state, text) = (settled, text + "phase settled\n")
    case .ready(let ready): (state, text) = (ready, text + "phase ready\n")
    }
    if let state {
      text += "lists \(state.lists.text)\nupto \(state.upTo)\n"
      if let before = state.before { text += "before \(before.text)\n" }
    }
    return Array((text + "sha256 \(PackDigest.of(Array(text.utf8)).hex)\n").utf8)
  }

  init() {}

  init?(bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    var values: [Substring: Substring] = [:]
    for line in lines {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, values.updateValue(parts[1], forKey: parts[0]) == nil else { return nil }
    }
    guard values["ringfence-ledger"] == "1" else { return nil }
    lastGood = values["good"].flatMap { DirectorySnapshot(text: $0) }
    let lists = values["lists"].flatMap { DirectorySnapshot(text: $0) }
    let state = lists.flatMap { lists in
      values["upto"].flatMap { Int64($0) }.map { upTo in
        LoadedState(lists: lists, upTo: upTo, before: values["before"].flatMap { DirectorySnapshot(text: $0) })
      }
    }
    switch (values["phase"], state) {
    case ("unknown", nil): phase = .unknown
    case ("feeding", nil): phase = .feeding
    case ("sent", let state?): phase = .sent(state)
    case ("settled", let state?): phase = .settled(state)
    case ("ready", let state?): phase = .ready(state)
    default: return nil
    }
    // A ledger has exactly one form: this comparison also checks the digest and finds additional lines.
    guard self.bytes == bytes else { return nil }
  }
}
