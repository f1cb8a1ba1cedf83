// SPDX-License-Identifier: Apache-2.0

import FileSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An output for progress.
protocol ProgressOutput: Sendable {
  /// Whether a line can be redrawn.
  var isTerminal: Bool { get }
  /// Columns of the terminal, 1 or more.
  var width: Int { get }
  /// Writes the text at once; failures are ignored.
  func write(_ text: String)
}

/// The standard error stream.
struct StandardErrorOutput: ProgressOutput {
  /// Whether it is a terminal that understands escapes.
  let isTerminal: Bool

  /// Inspects the current stream.
  init() {
    let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
    isTerminal = isatty(2) == 1 && !isDumb
  }

  /// The window's columns; 80 if unknown.
  var width: Int {
    var size = winsize()
    guard ioctl(2, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Writes to file descriptor 2.
  func write(_ text: String) {
    _ = writeAll(text.utf8, to: 2)
  }
}
