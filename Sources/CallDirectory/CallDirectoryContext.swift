// SPDX-License-Identifier: Apache-2.0

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
