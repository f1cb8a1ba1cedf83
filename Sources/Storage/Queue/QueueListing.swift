// SPDX-License-Identifier: Apache-2.0

/// A page of the queue's list with everything that it shows.
public struct QueueListing: Sendable {
  /// The cases.
  public var rows: [QueueRow]
  /// Facts about the numbers of the cases.
  public var facts: [Int64: QueueRowFacts]
  /// Interrupted bulks that the worker may finish.
  public var unfinished: [BulkRun]
  /// The saved filters that the worker sees, its own first.
  public var savedFilters: [SavedFilter]
}
