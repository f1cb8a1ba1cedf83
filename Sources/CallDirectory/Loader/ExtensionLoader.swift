// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Loads lists into a Call Directory extension: complete sets, or the changes since the last request.
///
/// The lists are packs, in order of priority, and the user's own ``PersonalList``. App and extension share a folder,
/// the store of the loader. There the loader records which lists the system has accepted, and keeps their files (as
/// hard links where possible), so that the next request gets the exact difference. The process may be killed at any
/// point: the loader uses a state of the system only if it is certain.
///
/// ```swift
/// // In the extension:
/// override func beginRequest(with context: CXCallDirectoryExtensionContext) {
///   context.delegate = self
///   loader.serve(context)
/// }
/// // In the app:
/// try loader.prepareReload()
/// CXCallDirectoryManager.sharedInstance.reloadExtension(withIdentifier: id) { error in
///   if error == nil { try? loader.confirmReload() } else { try? loader.invalidate() }
/// }
/// ```
public final class ExtensionLoader: Sendable {
  /// The calls that one request made.
  public struct Report: Sendable, Equatable {
    /// The kind of a request.
    public enum Mode: String, Sendable {
      /// A complete set, as the system requested.
      case complete
      /// A complete set after all entries were removed, because the state of the system was not certain.
      case replacing
      /// The changes since the last request.
      case changes
    }

    /// The kind of the request.
    public var mode: Mode
    /// The number of calls that added a blocked number.
    public var blockingAdded = 0
    /// The number of calls that added a name.
    public var identificationAdded = 0
    /// The number of calls that removed a blocked number.
    public var blockingRemoved = 0
    /// The number of calls that removed a name.
    public var identificationRemoved = 0
    /// The number of entries that are left out, because the extension has no room for them: entries of the longest ranges of
    /// adjacent numbers.
    public var leftOut = 0
    /// Whether the lists are now loaded completely. If not, reload the extension again.
    public var isComplete = true
    /// The lists that could not be read, each with its error. The lists that were loaded last have replaced them.
    public var faults: [String] = []
  }

  let packs: [String]
  let personal: String?
  let pageOperations: Int
  let folder: StoreFolder
  let maximumEntries: Int

  var store: ListStore { ListStore(folder: folder, maximumEntries: maximumEntries) }

  /// Creates a loader without touching a file.
  /// - Parameters:
  ///   - store: a folder in the container of the app group, only for the loader; it is created when it is missing.
  ///   - packs: the packs, in order of priority.
  ///   - personal: the file of a ``PersonalList``; it need not exist.
  ///   - maximumEntries: the most entries of the extension. Above it the longest ranges of adjacent numbers are left out;
  ///     numbers that are listed by themselves are always loaded. The same for each loader of a store.
  public convenience init(
    store: URL, packs: [URL], personal: URL? = nil, maximumEntries: Int = CallDirectoryLimits.requestAdditions
  ) {
    self.init(
      store: store, packs: packs, personal: personal, pageOperations: CallDirectoryLimits.pageOperations,
      killSwitch: nil, maximumEntries: maximumEntries)
  }

  /// Creates a loader with another page size (at least 4 calls) and a process that can be killed.
  package init(
    store: URL, packs: [URL], personal: URL?, pageOperations: Int, killSwitch: KillSwitch?,
    maximumEntries: Int = CallDirectoryLimits.requestAdditions
  ) {
    self.maximumEntries = maximumEntries
    self.packs = packs.map(\.path)
    self.personal = personal?.path
    self.pageOperations = max(4, pageOperations)
    folder = StoreFolder(path: store.path, killSwitch: killSwitch)
  }

  /// Serves a request: sends the lists, completes the request, and records its outcome.
  ///
  /// Call ``invalidate()`` when the context's delegate receives `requestFailed`.
  /// - Parameters:
  ///   - context: the request.
  ///   - then: receives the calls that were made, or the error. It is not called when the system ends the process
  ///     first.
  public func serve(
    _ context: some CallDirectoryContext, then: (@Sendable (Result<Report, any Error>) -> Void)? = nil
  ) {
    let report: Report
    do {
      report = try load(context)
    } catch {
      // The ledger is in the phase "feeding" at least, which is as safe as "unknown".
      try? invalidate()
      context.cancelRequest(withError: error)
      then?(.failure(error))
      return
    }
    context.completeRequest { [self] expired in
      do {
        if expired { try invalidate() } else { try confirmReload() }
        then?(.success(report))
      } catch {
        then?(.failure(error))
      }
    }
  }

  /// Announces a reload, so that the next request can send only changes. Call it in the app right before the reload.
  ///
  /// A request that was not announced gets a complete set. An extension may be killed before its first instruction, and
  /// then only an unused announcement shows that the system's store is empty.
  /// - Throws: ``CallDirectoryError`` when the store cannot be written.
  public func prepareReload() throws {
    var ledger = LoadLedger.load(from: folder)
    switch ledger.phase {
    case .settled(let state): ledger.phase = .ready(state)
    // The announced request did not start, or its process died before it could record the start.
    case .ready: ledger.phase = .unknown
    case .unknown, .feeding, .sent: return
    }
    try ledger.save(in: folder)
  }

  /// Returns whether the lists of the last request are loaded completely; if not, reload again. True before the first
  /// request.
  public func isComplete() -> Bool {
    switch LoadLedger.load(from: folder).phase {
    case .sent(let state), .settled(let state), .ready(let state): state.isComplete
    case .unknown, .feeding: true
    }
  }

  /// Records that the system has accepted the last request.
  ///
  /// ``serve(_:then:)`` does this itself. The app should also call it when a reload succeeded, because the extension's
  /// process may end before it learns of its success. Without a request that was sent to the end it does nothing.
  /// - Throws: ``CallDirectoryError`` when the store cannot be written.
  public func confirmReload() throws {
    var ledger = LoadLedger.load(from: folder)
    guard case .sent(let state) = ledger.phase else { return }
    ledger.phase = .settled(state)
    if state.isComplete { ledger.lastGood = state.lists }
    try ledger.save(in: folder)
    let needed = ledger.neededFiles
    folder.sweep { needed.contains($0) }
  }

  /// Discards the recorded state of the system: the next request gets a complete set.
  ///
  /// Call it when a request or a reload failed. The system has then deleted every entry and may still request only
  /// changes.
  /// - Throws: ``CallDirectoryError`` when the store cannot be written.
  public func invalidate() throws {
    var ledger = LoadLedger.load(from: folder)
    guard ledger.phase != .unknown else { return }
    ledger.phase = .unknown
    do {
      try ledger.save(in: folder)
    } catch {
      // A full disk must not leave a trusted state behind; removing a file needs no space.
      folder.sweep { $0 != LoadLedger.fileName }
      throw error
    }
  }
}

/// The plan of one request.
struct LoadPlan {
  var mode: ExtensionLoader.Report.Mode
  /// The lists that the system should have in the end.
  var target: DirectorySnapshot
  /// The lists that the system has for numbers from ``from`` on; nil when it has none.
  var base: DirectorySnapshot?
  /// The first number of this request; the numbers before it are loaded already.
  var from: Int64 = 0
  var faults: [String] = []
}

extension ExtensionLoader {
  /// Plans a request.
  /// - Throws: ``CallDirectoryError/nothingToLoad(faults:)``.
  func plan(isIncremental: Bool, ledger: LoadLedger) throws -> LoadPlan {
    let trusted = isIncremental ? trustedState(ledger) : nil
    if let trusted, !trusted.isComplete {
      // A load of several requests is finished before a newer one starts, so that at most two versions of each list are
      // open.
      return LoadPlan(mode: .changes, target: trusted.lists, base: trusted.before, from: trusted.upTo + 1)
    }
    var faults: [String] = []
    let target = try target(lastGood: ledger.lastGood, faults: &faults)
    if let trusted {
      return LoadPlan(mode: .changes, target: target, base: trusted.lists, faults: faults)
    }
    return LoadPlan(mode: isIncremental ? .replacing : .complete, target: target, base: nil, faults: faults)
  }

  /// Returns the state of the system's store, if it is certain and the files of its lists are unchanged.
  private func trustedState(_ ledger: LoadLedger) -> LoadedState? {
    guard case .ready(let state) = ledger.phase, store.holds(state.lists) else { return nil }
    if let before = state.before, !store.holds(before) { return nil }
    return state
  }

  /// Returns the newest lists. When one cannot be read, the lists that were loaded last replace them, so that a damaged
  /// file does not empty the phone.
  private func target(lastGood: DirectorySnapshot?, faults: inout [String]) throws -> DirectorySnapshot {
    let fallback = lastGood.flatMap { store.holds($0) ? $0 : nil }
    var taken: [String] = []
    for pack in packs {
      do { taken.append(try store.take(pack: pack)) } catch { faults.append("\(pack): \(error)") }
    }
    if !faults.isEmpty, let fallback { taken = fallback.packs }
    var own: String?
    if let personal, FileManager.default.fileExists(atPath: personal) {
      do {
        own = try store.take(personal: personal)
      } catch {
        faults.append("\(error)")
        own = fallback?.personal
      }
    }
    guard faults.isEmpty || !taken.isEmpty || own != nil else {
      throw CallDirectoryError.nothingToLoad(faults: faults)
    }
    return DirectorySnapshot(packs: taken, personal: own)
  }
}
