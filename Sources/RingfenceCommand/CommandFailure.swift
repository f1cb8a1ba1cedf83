/// Why a command stopped, in plain English, with the exit code that says so.
public struct CommandFailure: Error, CustomStringConvertible {
  /// What happened and what to do.
  public let description: String
  /// 1 the data is bad or the work failed, 2 wrong usage, 3 cannot read or write, 4 held back by a gate.
  public let exitCode: Int32

  /// The data is bad, or the work failed.
  public static func failed(_ description: String) -> CommandFailure {
    CommandFailure(description: description, exitCode: 1)
  }

  /// A file or folder cannot be read.
  public static func unreadable(_ description: String) -> CommandFailure {
    CommandFailure(description: description, exitCode: 3)
  }
}
