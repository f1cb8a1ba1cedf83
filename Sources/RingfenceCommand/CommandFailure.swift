// SPDX-License-Identifier: Apache-2.0

/// The failure of a command, in plain English with its exit code.
public struct CommandFailure: Error, CustomStringConvertible {
  /// The failure and the action for the user.
  public let description: String
  /// 1 wrong data or failed work, 2 wrong usage, 3 cannot read or write, 4 refused by a gate.
  public let exitCode: Int32

  /// Wrong data or failed work.
  public static func failed(_ description: String) -> CommandFailure {
    CommandFailure(description: description, exitCode: 1)
  }

  /// A file or folder cannot be read.
  public static func unreadable(_ description: String) -> CommandFailure {
    CommandFailure(description: description, exitCode: 3)
  }
}
