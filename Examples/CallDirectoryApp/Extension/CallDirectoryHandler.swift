// SPDX-License-Identifier: Apache-2.0

import CallDirectory
import CallKit
import Foundation

/// The principal class of the extension.
final class CallDirectoryHandler: CXCallDirectoryProvider, CXCallDirectoryExtensionContextDelegate {
  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    context.delegate = self
    do {
      try CallerLists.loader().serve(context)
    } catch {
      context.cancelRequest(withError: error)
    }
  }

  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
    // The system has deleted every entry, so the next request must be a complete set.
    try? CallerLists.loader().invalidate()
  }
}
