// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The declarations of CallKit and Foundation on iOS that the example uses, so that it compiles on Linux.
import CallDirectory
import Foundation

open class CXCallDirectoryExtensionContext: CallDirectoryContext {
  public weak var delegate: (any CXCallDirectoryExtensionContextDelegate)?
  public var isIncremental: Bool { false }

  public func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: Int64) {}
  public func addIdentificationEntry(withNextSequentialPhoneNumber phoneNumber: Int64, label: String) {}
  public func removeBlockingEntry(withPhoneNumber phoneNumber: Int64) {}
  public func removeIdentificationEntry(withPhoneNumber phoneNumber: Int64) {}
  public func removeAllBlockingEntries() {}
  public func removeAllIdentificationEntries() {}
  public func completeRequest(completionHandler: (@Sendable (Bool) -> Void)? = nil) { completionHandler?(false) }
  public func completeRequest(then: @escaping @Sendable (_ expired: Bool) -> Void) {
    completeRequest(completionHandler: then)
  }
  public func cancelRequest(withError error: any Error) {}
}

public protocol CXCallDirectoryExtensionContextDelegate: AnyObject {
  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error)
}

open class CXCallDirectoryProvider {
  public init() {}
  open func beginRequest(with context: CXCallDirectoryExtensionContext) {}
}

public final class CXCallDirectoryManager: Sendable {
  public static let sharedInstance = CXCallDirectoryManager()
  public func reloadExtension(withIdentifier identifier: String) async throws {}
}

extension FileManager {
  public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
    temporaryDirectory.appendingPathComponent(groupIdentifier)
  }
}
