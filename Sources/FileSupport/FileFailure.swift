// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An operation of the system on a file or folder that failed.
package struct FileFailure: Error, CustomStringConvertible, Equatable {
  package let path: String
  /// The value of errno.
  package let code: Int32

  package init(path: String, code: Int32) {
    self.path = path
    self.code = code
  }

  /// The system's message, for example "Permission denied".
  package var reason: String { String(cString: strerror(code)) }

  package var description: String { "\(path): \(reason)" }
}
