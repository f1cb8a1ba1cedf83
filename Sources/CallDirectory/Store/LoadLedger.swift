internal import CallerPack

/// What is known of the system's store, kept across launches and kills.
///
/// A request goes through `feeding` (nothing is known: whatever ends it here has emptied the system's store)
/// and `sent` (all was given, the system has not answered) to `settled`. An extension that is killed before it
/// can write `feeding` leaves no trace, and yet the system has emptied its store: so a settled state is trusted
/// by one request only, which the app announces by `ready`. The file is replaced as a whole at every step, and
/// a file that does not check counts as none.
struct LoadLedger: Equatable, Sendable {
  enum Phase: Equatable, Sendable {
    /// Nothing is known of the store.
    case unknown
    /// A request is under way, or was when its process ended.
    case feeding
    /// Everything was sent; the system's answer is not in.
    case sent(LoadedState)
    /// The system took it.
    case settled(LoadedState)
    /// The system took it, and the app is about to ask for the next request.
    case ready(LoadedState)
  }

  var phase: Phase = .unknown
  /// The lists that the system last took as a whole: what is fed when the newest cannot be read.
  var lastGood: DirectorySnapshot?

  static let fileName = "ledger"

  /// The files that must stay.
  var neededFiles: Set<String> {
    var snapshots = [lastGood]
    switch phase {
    case .unknown, .feeding: break
    case .sent(let state), .settled(let state), .ready(let state): snapshots += [state.lists, state.before]
    }
    return Set(snapshots.compactMap { $0 }.flatMap(\.fileNames) + [Self.fileName])
  }

  /// Reads the ledger of a store; what cannot be trusted is `unknown`.
  static func load(from folder: StoreFolder) -> LoadLedger {
    folder.read(fileName).flatMap { LoadLedger(bytes: $0) } ?? LoadLedger()
  }

  /// Makes this the ledger of a store, durably.
  func save(in folder: StoreFolder) throws { try folder.replace(Self.fileName, with: bytes) }

  /// Lines of `key value`, the last being the SHA-256 of those before.
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
    // The one way to write a ledger: this also checks the digest and that nothing was left over.
    guard self.bytes == bytes else { return nil }
  }
}
