// SPDX-License-Identifier: Apache-2.0

/// The limits of Call Directory, and the lower limits of the loader.
public enum CallDirectoryLimits {
  /// The most additions of one request, blocking and identification together. One more fails with error 5.
  public static let requestAdditions = 1_999_999
  /// The most additions and removals that a loader sends in one request. Longer lists need several requests.
  public static let pageOperations = 1_800_000
  /// The number of entries between two drains of the autorelease pool: the system's own batch size.
  public static let batch = 10_000
  /// The number of UTF-8 bytes at which a label makes the system drop its entry silently.
  public static let droppedLabelBytes = 65_535
}

/// Runs a batch of calls to the context and drains the autorelease pool.
#if canImport(ObjectiveC)
  internal import ObjectiveC

  func inBatch<Result>(_ body: () throws -> Result) throws -> Result { try autoreleasepool(invoking: body) }
#else
  func inBatch<Result>(_ body: () throws -> Result) throws -> Result { try body() }
#endif
