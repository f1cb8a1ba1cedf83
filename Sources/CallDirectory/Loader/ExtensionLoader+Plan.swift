internal import Foundation

/// What a request is to be given.
struct LoadPlan {
  var mode: ExtensionLoader.Report.Mode
  /// What the system is to hold in the end.
  var target: DirectorySnapshot
  /// What the system holds from ``from`` on; nil when that is nothing.
  var base: DirectorySnapshot?
  /// The first number of this request; those before are loaded already.
  var from: Int64 = 0
  var faults: [String] = []
}

extension ExtensionLoader {
  /// Decides what to give.
  ///
  /// - Throws: ``CallDirectoryError/nothingToLoad(faults:)``.
  func plan(isIncremental: Bool, ledger: LoadLedger) throws -> LoadPlan {
    let trusted = isIncremental ? trustedState(ledger) : nil
    if let trusted, !trusted.isComplete {
      // A load that takes several requests is finished before a newer one begins: at most two versions of each
      // list are ever open.
      return LoadPlan(mode: .changes, target: trusted.lists, base: trusted.before, from: trusted.upTo + 1)
    }
    var faults: [String] = []
    let target = try target(lastGood: ledger.lastGood, faults: &faults)
    if let trusted {
      return LoadPlan(mode: .changes, target: target, base: trusted.lists, faults: faults)
    }
    return LoadPlan(mode: isIncremental ? .replacing : .complete, target: target, base: nil, faults: faults)
  }

  /// The state of the system's store, when it is certain and its lists are still here bit for bit.
  private func trustedState(_ ledger: LoadLedger) -> LoadedState? {
    guard case .ready(let state) = ledger.phase, store.holds(state.lists) else { return nil }
    if let before = state.before, !store.holds(before) { return nil }
    return state
  }

  /// The newest lists. Where one cannot be read, those that were loaded last take its place: a bad night must
  /// not empty the phone.
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
