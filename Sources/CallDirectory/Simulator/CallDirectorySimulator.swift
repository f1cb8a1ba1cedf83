/// The system's side of Call Directory for tests on any platform: Apple's rules, as far as they are known.
///
/// It keeps what an extension has loaded and judges each request. Not for use from two threads at once.
public final class CallDirectorySimulator {
  /// Why a request failed.
  public enum Fault: Error, Equatable, Sendable {
    /// Error 3: an addition is below the one before it.
    case outOfOrder(number: Int64, after: Int64)
    /// Error 4: an addition repeats the one before it.
    case duplicate(number: Int64)
    /// Error 5: more than 1,999,999 additions.
    case tooMany(number: Int64)
    /// Error 8: a removal in a request that is not incremental, or whose extension never asked.
    case unexpectedRemoval
    /// A number that no phone has.
    case impossibleNumber(Int64)
    /// Error 2: the extension's process ended before the request.
    case interrupted
    /// The extension gave up.
    case cancelled(String)
    /// The extension called on after it had ended the request.
    case callAfterEnd
  }

  /// What became of a request.
  public struct Outcome: Sendable, Equatable {
    /// Whether the system asked for changes only.
    public var isIncremental = false
    /// Why it failed, and every entry was deleted; nil when it succeeded.
    public var fault: Fault?
    /// Additions of numbers to refuse.
    public var blockingAdditions = 0
    /// Additions of names.
    public var identificationAdditions = 0
    /// Removals of either kind, those of everything counted once.
    public var removals = 0
    /// Entries dropped without a word because their label is empty or has 65,535 bytes or more.
    public var droppedLabels = 0
    /// Additions without effect, because the number was stored already.
    public var ignoredAdditions = 0
    /// Removals after an addition; the system flushes both in batches of its own, so that order is not safe.
    public var lateRemovals = 0
  }

  /// The stored numbers to refuse.
  public internal(set) var blocking: Set<Int64> = []
  /// The stored names.
  public internal(set) var identification: [Int64: String] = [:]
  /// Whether the next request asks for changes only. The first does not; after a failure it still may.
  public var nextIsIncremental = false
  /// Additions that a request may have.
  public var requestAdditions = CallDirectoryLimits.requestAdditions

  let keepsEntries: Bool

  /// A system that holds nothing; `keepsEntries: false` only judges requests, in constant memory.
  public init(keepsEntries: Bool = true) { self.keepsEntries = keepsEntries }

  /// Begins a request.
  ///
  /// - Parameters:
  ///   - killSwitch: ends the extension's process at a step.
  ///   - batch: how many calls lie between two calls of `onBatch`, at least 1.
  ///   - onBatch: hears of the load's progress, for instance to read the memory.
  public func beginRequest(
    killSwitch: KillSwitch? = nil, batch: Int = CallDirectoryLimits.batch, onBatch: (() -> Void)? = nil
  ) -> Request {
    Request(self, killSwitch: killSwitch, batch: max(1, batch), onBatch: onBatch)
  }

  /// One whole request as the system makes it: begin, let the loader serve, judge.
  public func reload(with loader: ExtensionLoader, killSwitch: KillSwitch? = nil) -> Outcome {
    let request = beginRequest(killSwitch: killSwitch)
    loader.serve(request)
    return request.end()
  }

  /// The user turns the extension off and on again: the store is empty and a complete set is asked for.
  public func disableAndEnable() {
    blocking = []
    identification = [:]
    nextIsIncremental = false
  }
}
