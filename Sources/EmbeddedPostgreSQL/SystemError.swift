// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The text of an error of the operating system.
enum SystemError {
  /// The text of the current errno, such as "Permission denied".
  static var current: String { String(cString: strerror(errno)) }
}
