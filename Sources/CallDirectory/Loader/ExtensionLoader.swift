public import Foundation

/// Gives a Call Directory extension its lists: all of them, or what changed since the system last took them.
///
/// The lists are packs, the first in priority first, and the user's own ``PersonalList``. The loader remembers in
/// its store, a folder that app and extension share, what the system took, and keeps those very lists (as hard
/// links where it can), so that the next request gets the exact difference. It may be killed at any point: what
/// the system then holds is never guessed.
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
///   if error == nil { try? loader.settle() } else { try? loader.forget() }
/// }
/// ```
public final class ExtensionLoader: Sendable {
  /// What a request gave.
  public struct Report: Sendable, Equatable {
    /// How the request was answered.
    public enum Mode: String, Sendable {
      /// A complete set, as the system asked.
      case complete
      /// A complete set after everything was removed: what the system held was not certain.
      case replacing
      /// The changes since the last request.
      case changes
    }

    /// How the request was answered.
    public var mode: Mode
    /// Calls that added a number to refuse.
    public var blockingAdded = 0
    /// Calls that added a name.
    public var identificationAdded = 0
    /// Calls that removed a number to refuse.
    public var blockingRemoved = 0
    /// Calls that removed a name.
    public var identificationRemoved = 0
    /// Whether the lists are now loaded to the end; if not, reload the extension again.
    public var isWhole = true
    /// Lists that could not be read, a sentence each; the last that were loaded took their place.
    public var faults: [String] = []
  }

  let packs: [String]
  let personal: String?
  let pageOperations: Int
  let folder: StoreFolder

  var store: ListStore { ListStore(folder: folder) }

  /// A loader; no file is touched yet.
  ///
  /// - Parameters:
  ///   - store: a folder of its own in the app group's container; created where it is missing.
  ///   - packs: the packs, the first in priority first.
  ///   - personal: the file of a ``PersonalList``; it need not exist.
  public convenience init(store: URL, packs: [URL], personal: URL? = nil) {
    self.init(
      store: store, packs: packs, personal: personal, pageOperations: CallDirectoryLimits.pageOperations,
      killSwitch: nil)
  }

  /// A loader whose pages are of another size (at least 4 calls) and whose process can be killed.
  package init(store: URL, packs: [URL], personal: URL?, pageOperations: Int, killSwitch: KillSwitch?) {
    self.packs = packs.map(\.path)
    self.personal = personal?.path
    self.pageOperations = max(4, pageOperations)
    folder = StoreFolder(path: store.path, killSwitch: killSwitch)
  }

  /// Serves a request from beginning to end: feeds, completes, and remembers what the system made of it.
  ///
  /// `then` hears what was given, or why the request failed; it may never be called when the system ends the
  /// process first. Call ``forget()`` when the context's delegate hears `requestFailed`.
  public func serve(
    _ context: some CallDirectoryContext, then: (@Sendable (Result<Report, any Error>) -> Void)? = nil
  ) {
    let report: Report
    do {
      report = try feed(context)
    } catch {
      // The ledger says "feeding" at best; a clean "unknown" is only tidier.
      try? forget()
      context.cancelRequest(withError: error)
      then?(.failure(error))
      return
    }
    context.completeRequest { [self] expired in
      do {
        if expired { try forget() } else { try settle() }
        then?(.success(report))
      } catch {
        then?(.failure(error))
      }
    }
  }

  /// Lets the next request give changes only. The app calls it right before it asks the system to reload.
  ///
  /// A request that was not announced gets a complete set: an extension may be killed before its first
  /// instruction, and then only this announcement, found unused, tells that the system's store is empty. (Were the
  /// system to repeat such a request unasked, nothing could tell.)
  ///
  /// - Throws: errors of the store's files.
  public func prepareReload() throws {
    var ledger = LoadLedger.load(from: folder)
    switch ledger.phase {
    case .settled(let state): ledger.phase = .ready(state)
    // The request that was announced never began, or died before it could say so.
    case .ready: ledger.phase = .unknown
    case .unknown, .feeding, .sent: return
    }
    try ledger.save(in: folder)
  }

  /// Whether the lists of the last request are loaded to the end; if not, reload again. True before the first.
  public func isWhole() -> Bool {
    switch LoadLedger.load(from: folder).phase {
    case .sent(let state), .settled(let state), .ready(let state): state.isComplete
    case .unknown, .feeding: true
    }
  }

  /// Makes what the last request gave the certain state: the system took it.
  ///
  /// ``serve(_:then:)`` does this itself. The app may do it too when reloading the extension succeeded, for the
  /// extension's process may end before it hears of its own success. Without a request that was sent whole it
  /// does nothing.
  ///
  /// - Throws: errors of the store's files.
  public func settle() throws {
    var ledger = LoadLedger.load(from: folder)
    guard case .sent(let state) = ledger.phase else { return }
    ledger.phase = .settled(state)
    if state.isComplete { ledger.lastGood = state.lists }
    try ledger.save(in: folder)
    let needed = ledger.neededFiles
    folder.sweep { needed.contains($0) }
  }

  /// Forgets what the system holds: the next request gets a complete set.
  ///
  /// Call it when a request or a reload failed, for the system has then deleted every entry and may still ask
  /// for changes only.
  ///
  /// - Throws: errors of the store's files.
  public func forget() throws {
    var ledger = LoadLedger.load(from: folder)
    guard ledger.phase != .unknown else { return }
    ledger.phase = .unknown
    do {
      try ledger.save(in: folder)
    } catch {
      // A full disk must not leave a trusted state behind; removing a file needs no room.
      folder.sweep { $0 != LoadLedger.fileName }
      throw error
    }
  }
}
