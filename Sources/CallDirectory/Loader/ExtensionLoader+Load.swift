// SPDX-License-Identifier: Apache-2.0

extension ExtensionLoader {
  /// Sends the lists to the context without completing or canceling the request; ``serve(_:then:)`` does all of it.
  ///
  /// When this method returns, complete the request and call ``confirmReload()`` on success or ``invalidate()`` on
  /// failure. When it throws, cancel the request and call ``invalidate()``.
  /// - Parameter context: the request.
  /// - Returns: the calls that were made.
  /// - Throws: ``CallDirectoryError``, and `PackError` when a list was damaged after it was added to the store.
  public func load(_ context: some CallDirectoryContext) throws -> Report {
    // Read before anything is added; otherwise the system treats the request as a complete set.
    let isIncremental = context.isIncremental
    try folder.create()
    let ledger = LoadLedger.load(from: folder)
    // If the process ends after this point, the request fails, and a failed request empties the system's store.
    var next = LoadLedger()
    next.lastGood = ledger.lastGood
    next.phase = .feeding
    try next.save(in: folder)

    let plan = try plan(isIncremental: isIncremental, ledger: ledger)
    var report = Report(mode: plan.mode)
    report.faults = plan.faults
    report.leftOut = try store.limit(of: plan.target).leftOut
    let upTo = try send(plan, to: context, &report)
    report.isComplete = upTo == .max
    next.phase = .sent(LoadedState(lists: plan.target, upTo: upTo, before: report.isComplete ? nil : plan.base))
    try next.save(in: folder)
    return report
  }

  /// Sends a page: every removal, then every addition. Returns the last number up to which the store equals the target.
  private func send(_ plan: LoadPlan, to context: some CallDirectoryContext, _ report: inout Report) throws -> Int64 {
    guard plan.base != plan.target else { return .max }
    if plan.mode == .replacing {
      context.removeAllBlockingEntries()
      context.removeAllIdentificationEntries()
    }
    guard plan.base != nil else { return try sendAdditions(plan, upTo: .max, to: context, &report) }
    let upTo = try sendRemovals(plan, to: context, &report)
    return try sendAdditions(plan, upTo: upTo, to: context, &report)
  }

  /// Removes entries that disappear or get a new name, as far as the page reaches with the additions to come.
  private func sendRemovals(
    _ plan: LoadPlan, to context: some CallDirectoryContext, _ report: inout Report
  ) throws -> Int64 {
    var walk = try walk(plan)
    var operations = 0
    var upTo: Int64?
    while upTo == nil {
      try inBatch {
        for _ in 0..<CallDirectoryLimits.batch {
          guard let change = try walk.next() else {
            upTo = .max
            return
          }
          operations += change.operations
          guard operations <= pageOperations else {
            upTo = change.number - 1
            return
          }
          if change.removesBlocking {
            context.removeBlockingEntry(withPhoneNumber: change.number)
            report.blockingRemoved += 1
          }
          if change.removesIdentification {
            context.removeIdentificationEntry(withPhoneNumber: change.number)
            report.identificationRemoved += 1
          }
        }
      }
    }
    return upTo ?? .max
  }

  /// Adds the new entries, ascending, up to a number or to the end of the page.
  private func sendAdditions(
    _ plan: LoadPlan, upTo last: Int64, to context: some CallDirectoryContext, _ report: inout Report
  ) throws -> Int64 {
    var walk = try walk(plan)
    var upTo: Int64?
    while upTo == nil {
      try inBatch {
        for _ in 0..<CallDirectoryLimits.batch {
          guard let change = try walk.next(), change.number <= last else {
            upTo = last
            return
          }
          let additions = (change.addsBlocking ? 1 : 0) + (change.addsIdentification ? 1 : 0)
          guard report.blockingAdded + report.identificationAdded + additions <= pageOperations else {
            upTo = change.number - 1
            return
          }
          if change.addsBlocking {
            context.addBlockingEntry(withNextSequentialPhoneNumber: change.number)
            report.blockingAdded += 1
          }
          if change.addsIdentification {
            let label = String(decoding: walk.label, as: UTF8.self)
            context.addIdentificationEntry(withNextSequentialPhoneNumber: change.number, label: label)
            report.identificationAdded += 1
          }
        }
      }
    }
    return upTo ?? last
  }

  private func walk(_ plan: LoadPlan) throws -> ChangeWalk {
    let old = try plan.base.map { try store.entries(of: $0, from: plan.from) }
    return ChangeWalk(from: old, to: try store.entries(of: plan.target, from: plan.from))
  }
}
