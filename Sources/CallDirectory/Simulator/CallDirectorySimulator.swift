// SPDX-License-Identifier: Apache-2.0

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
    /// The extension cancelled the request.
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
