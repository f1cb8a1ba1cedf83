// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
internal import CallDirectory
internal import CallerPack
internal import Foundation
internal import PackFormats

/// The output of the pack commands. A main program or a test may replace the standard one.
public struct PackConsole: Sendable {
  /// Receives the command's results, including line ends.
  public var output: @Sendable (String) -> Void
  /// Receives errors and notes, including line ends.
  public var remarks: @Sendable (String) -> Void
  /// Receives the progress of a long command in bytes or entries, and the total; 0 if that is unknown.
  public var progress: @Sendable (_ done: UInt64, _ total: UInt64) -> Void
  /// The program that `verify --as-extension` starts as a separate process; nil measures in this process.
  public var executable: String?

  /// Creates a console.
  public init(
    output: @escaping @Sendable (String) -> Void, remarks: @escaping @Sendable (String) -> Void,
    progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }, executable: String? = nil
  ) {
    self.output = output
    self.remarks = remarks
    self.progress = progress
    self.executable = executable
  }

  /// Standard output, standard error, no progress, and this program. The process ends if it cannot write a result.
  public static let standard = PackConsole(
    output: { text in
      do {
        try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
      } catch {
        try? FileHandle.standardError.write(contentsOf: Data("error: cannot write standard output\n".utf8))
        exit(PackExitCode.inputOutput.rawValue)
      }
    },
    remarks: { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) },
    executable: FileManager.default.fileExists(atPath: "/proc/self/exe") ? "/proc/self/exe" : nil)

  /// The console of the running command.
  @TaskLocal public static var current = PackConsole.standard
}

/// The exit codes of the pack commands.
public enum PackExitCode {
  /// Wrong data.
  public static let badData = ExitCode(1)
  /// Wrong usage.
  public static let usage = ExitCode(2)
  /// A file cannot be read or written.
  public static let inputOutput = ExitCode(3)

  /// The exit code of an error: ArgumentParser's own 64 for wrong usage becomes 2.
  public static func code(for error: any Error, in command: any ParsableCommand.Type) -> Int32 {
    let code = command.exitCode(for: error)
    return code == .validationFailure ? usage.rawValue : code.rawValue
  }

  /// Runs a command's work; prints an error to the console and throws its exit code.
  static func report<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch let error as ExitCode {
      throw error
    } catch let error as ValidationError {
      throw error
    } catch {
      PackConsole.current.remarks("error: \(error)\n")
      throw of(error)
    }
  }

  private static func of(_ error: any Error) -> ExitCode {
    switch error {
    case let error as PackError: error.code == .inputOutput ? inputOutput : badData
    case PackFormatError.file: inputOutput
    case PackFormatError.option: usage
    case is PackFormatError: badData
    case CallDirectoryError.file: inputOutput
    case is CallDirectoryError, is ListLineError, is ExtensionTrial.Failure: badData
    default: inputOutput
    }
  }
}
