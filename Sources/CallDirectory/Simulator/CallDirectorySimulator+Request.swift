// SPDX-License-Identifier: Apache-2.0

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
      if number < 1 || number > 999_999_999_999_999 {
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
