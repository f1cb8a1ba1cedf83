// SPDX-License-Identifier: Apache-2.0

import CallerPack

/// The calls of a Call Directory request that a loader needs. `CXCallDirectoryExtensionContext` conforms on iOS.
///
/// Numbers are country code and national digits without a plus. The additions of each kind ascend strictly.
public protocol CallDirectoryContext: AnyObject {
  /// Whether the system wants only changes. Read it before anything is added: a request whose extension never read it
  /// counts as a complete set.
  var isIncremental: Bool { get }

  /// Adds a number to block.
  func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: Int64)
  /// Adds a number and the name to show. A number that is stored already keeps its old name.
  func addIdentificationEntry(withNextSequentialPhoneNumber phoneNumber: Int64, label: String)
  /// Removes a blocked number. Raises an exception in a request that is not incremental.
  func removeBlockingEntry(withPhoneNumber phoneNumber: Int64)
  /// Removes a number's name. Raises an exception in a request that is not incremental.
  func removeIdentificationEntry(withPhoneNumber phoneNumber: Int64)
  /// Removes every blocked number. Raises an exception in a request that is not incremental.
  func removeAllBlockingEntries()
  /// Removes every name. Raises an exception in a request that is not incremental.
  func removeAllIdentificationEntries()

  /// Ends the request.
  /// - Parameter then: receives whether the system has abandoned the request.
  func completeRequest(then: @escaping @Sendable (_ expired: Bool) -> Void)
  /// Ends the request as failed. The system then deletes every entry of the extension.
  func cancelRequest(withError error: any Error)
}

#if canImport(CallKit) && os(iOS)
  public import CallKit

  extension CXCallDirectoryExtensionContext: CallDirectoryContext {
    /// Ends the request.
    /// - Parameter then: receives whether the system has abandoned the request.
    public func completeRequest(then: @escaping @Sendable (_ expired: Bool) -> Void) {
      completeRequest(completionHandler: { expired in then(expired) })
    }
  }
#endif

/// The error of a request that could not be served, or of a personal list that could not be read or changed.
public enum CallDirectoryError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A file could not be opened, read or written; `code` is an `errno` value.
  case file(path: String, operation: String, code: Int32)
  /// A personal list's file breaks its format.
  case damaged(path: String, rule: String)
  /// A number or a label from the user breaks a rule.
  case entry(number: Int64, rule: String)
  /// No list could be read, and none was loaded before.
  case nothingToLoad(faults: [String])

  /// The error as text for a log.
  public var description: String {
    switch self {
    case .file(let path, let operation, let code): "\(operation) \(path): error \(code)"
    case .damaged(let path, let rule): "\(path): \(rule)"
    case .entry(let number, let rule): "entry \(number): \(rule)"
    case .nothingToLoad(let faults): "no list could be read: " + faults.joined(separator: "; ")
    }
  }
}

/// The limits of Call Directory, and the lower limits of the loader.
public enum CallDirectoryLimits {
  /// The most additions of one request, blocking and identification together. One more fails with error 5.
  public static let requestAdditions = PackLimits.callDirectoryEntries
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
