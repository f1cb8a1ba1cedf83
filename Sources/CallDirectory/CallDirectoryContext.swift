/// What a loader needs of a Call Directory request: the calls of `CXCallDirectoryExtensionContext`, which conforms.
///
/// Numbers are country code and national digits without a plus. Additions of each kind ascend strictly.
public protocol CallDirectoryContext: AnyObject {
  /// Whether the system wants changes only. Read it before anything is added: a request whose extension never
  /// read it counts as a complete set.
  var isIncremental: Bool { get }

  /// Adds a number to refuse.
  func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: Int64)
  /// Adds a number and the name to show; a number that is stored already keeps its old name.
  func addIdentificationEntry(withNextSequentialPhoneNumber phoneNumber: Int64, label: String)
  /// Removes a number to refuse. Raises an exception in a request that is not incremental.
  func removeBlockingEntry(withPhoneNumber phoneNumber: Int64)
  /// Removes a number's name. Raises an exception in a request that is not incremental.
  func removeIdentificationEntry(withPhoneNumber phoneNumber: Int64)
  /// Removes every number to refuse. Raises an exception in a request that is not incremental.
  func removeAllBlockingEntries()
  /// Removes every name. Raises an exception in a request that is not incremental.
  func removeAllIdentificationEntries()

  /// Ends the request; `then` hears whether the system gave up on it.
  func completeRequest(then: @escaping @Sendable (_ expired: Bool) -> Void)
  /// Ends the request as failed: the system deletes every entry of the extension.
  func cancelRequest(withError error: any Error)
}

#if canImport(CallKit) && os(iOS)
  public import CallKit

  extension CXCallDirectoryExtensionContext: CallDirectoryContext {
    /// Ends the request; `then` hears whether the system gave up on it.
    public func completeRequest(then: @escaping @Sendable (_ expired: Bool) -> Void) {
      completeRequest(completionHandler: { expired in then(expired) })
    }
  }
#endif
