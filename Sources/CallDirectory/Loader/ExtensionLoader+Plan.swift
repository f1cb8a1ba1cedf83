// SPDX-License-Identifier: Apache-2.0

internal import Foundation

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
