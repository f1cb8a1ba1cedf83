/// The system's limits, and the loader's distance from them.
public enum CallDirectoryLimits {
  /// Additions of one request, blocking and identification together; one more fails with error 5.
  public static let requestAdditions = 1_999_999
  /// Additions and removals that a loader sends in one request; longer lists take several.
  public static let pageOperations = 1_800_000
  /// Entries between two drains of the autorelease pool: what the system itself flushes at a time.
  public static let batch = 10_000
  /// UTF-8 bytes at which a label makes the system drop its entry silently.
  public static let droppedLabelBytes = 65_535
}

/// Runs a batch of calls to the context and frees what Objective-C kept for it.
#if canImport(ObjectiveC)
  internal import ObjectiveC

  func inBatch<Result>(_ body: () throws -> Result) throws -> Result { try autoreleasepool(invoking: body) }
#else
  func inBatch<Result>(_ body: () throws -> Result) throws -> Result { try body() }
#endif
