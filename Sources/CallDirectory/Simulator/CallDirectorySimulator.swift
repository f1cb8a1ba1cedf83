// SPDX-License-Identifier: Apache-2.0

import CallerPack

/// Simulates the system's side of Call Directory on any platform, with Apple's rules as far as they are known.
///
/// The simulator keeps the entries that an extension has loaded and checks each request.
///
/// ```swift
/// let system = CallDirectorySimulator()
/// let outcome = system.reload(with: loader)
/// print(outcome.fault as Any, system.blocking.count, system.identification.count)
/// ```
///
/// Use a simulator from one thread at a time.
public final class CallDirectorySimulator {
  /// The reason why a request failed.
  public enum Fault: Error, Equatable, Sendable {
    /// Error 3: an addition is less than the previous one.
    case outOfOrder(number: Int64, after: Int64)
    /// Error 4: an addition equals the previous one.
    case duplicate(number: Int64)
    /// Error 5: more than 1,999,999 additions.
    case tooMany(number: Int64)
    /// Error 8: a removal in a request that is not incremental, or whose extension did not read `isIncremental`.
    case unexpectedRemoval
    /// The number is not between 1 and 999,999,999,999,999.
    case impossibleNumber(Int64)
    /// Error 2: the extension's process ended before the request.
    case interrupted
    /// The extension canceled the request.
    case cancelled(String)
    /// The extension made a call after the end of the request.
    case callAfterEnd
  }

  /// The outcome of a request.
  public struct Outcome: Sendable, Equatable {
    /// Whether the system requested only changes.
    public var isIncremental = false
    /// The reason of the failure, after which every entry was deleted; nil for success.
    public var fault: Fault?
    /// The number of additions of blocked numbers.
    public var blockingAdditions = 0
    /// The number of additions of names.
    public var identificationAdditions = 0
    /// The number of removals of either kind; the removal of all entries counts once.
    public var removals = 0
    /// The number of entries that were dropped silently because their label is empty or has 65,535 bytes or more.
    public var droppedLabels = 0
    /// The number of additions without effect, because the number was stored already.
    public var ignoredAdditions = 0
    /// The number of removals after an addition. The system flushes both in batches of its own, so this order is not
    /// safe.
    public var lateRemovals = 0
  }

  /// The stored blocked numbers.
  public internal(set) var blocking: Set<Int64> = []
  /// The stored names.
  public internal(set) var identification: [Int64: String] = [:]
  /// Whether the next request is incremental. The first is not; the one after a failure may be.
  public var nextIsIncremental = false
  /// The most additions of a request.
  public var requestAdditions = CallDirectoryLimits.requestAdditions

  let keepsEntries: Bool

  /// Creates a system without entries.
  /// - Parameter keepsEntries: false to only check requests, in constant memory.
  public init(keepsEntries: Bool = true) { self.keepsEntries = keepsEntries }

  /// Starts a request.
  /// - Parameters:
  ///   - killSwitch: ends the extension's process at a step.
  ///   - batch: the number of calls between two calls of `onBatch`, at least 1.
  ///   - onBatch: called during the load, for instance to measure memory.
  /// - Returns: the context to pass to the extension.
  public func beginRequest(
    killSwitch: KillSwitch? = nil, batch: Int = CallDirectoryLimits.batch, onBatch: (() -> Void)? = nil
  ) -> Request {
    Request(self, killSwitch: killSwitch, batch: max(1, batch), onBatch: onBatch)
  }

  /// Runs one complete request: starts it, lets the loader serve it, and ends it.
  /// - Parameters:
  ///   - loader: the extension's loader.
  ///   - killSwitch: ends the extension's process at a step.
  /// - Returns: the outcome of the request.
  public func reload(with loader: ExtensionLoader, killSwitch: KillSwitch? = nil) -> Outcome {
    let request = beginRequest(killSwitch: killSwitch)
    loader.serve(request)
    return request.end()
  }

  /// Simulates a user who turns the extension off and on again: the store is empty and the next request is a complete
  /// set.
  public func disableAndEnable() {
    blocking = []
    identification = [:]
    nextIsIncremental = false
  }
}

extension CallDirectorySimulator {
  /// A request of the simulated system.
  public final class Request: CallDirectoryContext {
    private let system: CallDirectorySimulator
    private let killSwitch: KillSwitch?
    private let batch: Int
    private let onBatch: (() -> Void)?
    private var outcome = Outcome()
    private var wasAsked = false
    private var isEnded = false
    private var hasEntries = false
    private var lastBlocking: Int64 = 0
    private var lastIdentification: Int64 = 0
    private var calls = 0
    private var blocking: Set<Int64> = []
    private var identification: [Int64: String] = [:]

    init(_ system: CallDirectorySimulator, killSwitch: KillSwitch?, batch: Int, onBatch: (() -> Void)?) {
      self.batch = batch
      self.system = system
      self.killSwitch = killSwitch
      self.onBatch = onBatch
      outcome.isIncremental = system.nextIsIncremental
    }

    /// Whether the system wants only changes. Reading it is recorded.
    public var isIncremental: Bool {
      wasAsked = true
      return outcome.isIncremental
    }

    /// Checks and stores a blocked number.
    public func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: Int64) {
      guard begins(), admits(phoneNumber, after: lastBlocking) else { return }
      lastBlocking = phoneNumber
      outcome.blockingAdditions += 1
      if system.keepsEntries, !blocking.insert(phoneNumber).inserted { outcome.ignoredAdditions += 1 }
    }

    /// Checks and stores a name. A number that has a name keeps it.
    public func addIdentificationEntry(withNextSequentialPhoneNumber phoneNumber: Int64, label: String) {
      guard begins(), admits(phoneNumber, after: lastIdentification) else { return }
      lastIdentification = phoneNumber
      outcome.identificationAdditions += 1
      guard !label.isEmpty, label.utf8.count < CallDirectoryLimits.droppedLabelBytes else {
        outcome.droppedLabels += 1
        return
      }
      guard system.keepsEntries else { return }
      if identification[phoneNumber] != nil {
        outcome.ignoredAdditions += 1
      } else {
        identification[phoneNumber] = label
      }
    }

    /// Removes a blocked number.
    public func removeBlockingEntry(withPhoneNumber phoneNumber: Int64) {
      guard begins(), mayRemove() else { return }
      blocking.remove(phoneNumber)
    }

    /// Removes a name.
    public func removeIdentificationEntry(withPhoneNumber phoneNumber: Int64) {
      guard begins(), mayRemove() else { return }
      identification[phoneNumber] = nil
    }

    /// Removes every blocked number.
    public func removeAllBlockingEntries() {
      guard begins(), mayRemove() else { return }
      blocking = []
    }

    /// Removes every name.
    public func removeAllIdentificationEntries() {
      guard begins(), mayRemove() else { return }
      identification = [:]
    }

    /// Applies the request to the store, unless it has failed.
    public func completeRequest(then: @escaping @Sendable (_ expired: Bool) -> Void) {
      guard begins() else {
        if outcome.fault != nil { then(true) }
        return
      }
      isEnded = true
      system.blocking = blocking
      system.identification = identification
      system.nextIsIncremental = true
      then(false)
    }

    /// Fails the request.
    public func cancelRequest(withError error: any Error) {
      guard begins() else { return }
      fail(.cancelled("\(error)"))
    }

    /// Ends the request after the extension's code has run, and returns its outcome. A request that was not completed
    /// counts as interrupted.
    public func end() -> Outcome {
      if !isEnded, outcome.fault == nil { outcome.fault = .interrupted }
      if outcome.fault != nil {
        system.blocking = []
        system.identification = [:]
      }
      return outcome
    }

    /// Returns whether a call has an effect: the process is alive, and the request has neither failed nor ended.
    private func begins() -> Bool {
      guard outcome.fault == nil, killSwitch?.step() ?? true else { return false }
      guard !isEnded else {
        fail(.callAfterEnd)
        return false
      }
      if !hasEntries {
        hasEntries = true
        if outcome.isIncremental, wasAsked {
          blocking = system.blocking
          identification = system.identification
        }
      }
      calls += 1
      if calls % batch == 0 { onBatch?() }
      return true
    }

    private func admits(_ number: Int64, after last: Int64) -> Bool {
      if number < PackLimits.minNumber || number > PackLimits.maxNumber {
        fail(.impossibleNumber(number))
      } else if number == last {
        fail(.duplicate(number: number))
      } else if number < last {
        fail(.outOfOrder(number: number, after: last))
      } else if outcome.blockingAdditions + outcome.identificationAdditions >= system.requestAdditions {
        fail(.tooMany(number: number))
      } else {
        return true
      }
      return false
    }

    private func mayRemove() -> Bool {
      guard outcome.isIncremental, wasAsked else {
        fail(.unexpectedRemoval)
        return false
      }
      outcome.removals += 1
      if outcome.blockingAdditions + outcome.identificationAdditions > 0 { outcome.lateRemovals += 1 }
      return true
    }

    private func fail(_ fault: Fault) { outcome.fault = fault }
  }
}
