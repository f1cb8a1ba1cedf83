// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import CallDirectory
public import CallerPack
import Foundation
public import PackFormats

/// `ringfence pack`: creates, reads, checks and converts packs.
struct PackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pack",
    abstract: "Build, read, verify and convert packs.",
    discussion: """
      Exit codes: 0 success, 1 invalid data (the message names the entry and the rule), 2 invalid usage, 3 cannot read \
      or write a file.
      """,
    subcommands: [
      PackBuildCommand.self, PackInfoCommand.self, PackVerifyCommand.self, PackDumpCommand.self,
      PackExportLiveCallerIDCommand.self, PackDiffCommand.self, PackApplyCommand.self, PackLookupCommand.self,
    ])
}

/// The output of the pack commands. A main program or a test may replace the standard one.
struct PackConsole: Sendable {
  /// Receives the command's results, including line ends.
  var output: @Sendable (String) -> Void
  /// Receives errors and notes, including line ends.
  var remarks: @Sendable (String) -> Void
  /// Receives the progress of a long command, the total, 0 if that is unknown, and their unit.
  var progress: @Sendable (_ done: UInt64, _ total: UInt64, _ unit: ProgressMeter.Unit) -> Void = { _, _, _ in }
  /// The program that `verify --as-extension` starts as a separate process; nil measures in this process.
  var executable: String?

  /// Standard output, standard error, no progress, and this program. The process ends if it cannot write a result.
  static let standard = PackConsole(
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

  @TaskLocal static var current = PackConsole.standard
}

enum PackExitCode {
  static let badData = ExitCode(1)
  static let usage = ExitCode(2)
  static let inputOutput = ExitCode(3)

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

  static func of(_ error: any Error) -> ExitCode {
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

extension PackKind {
  /// The kind's name on the command line and in JSON.
  var name: String {
    switch self {
    case .blocking: "blocking"
    case .identification: "identification"
    case .both: "both"
    }
  }
}

extension PackProfile {
  /// The profile's name on the command line and in JSON.
  var name: String {
    switch self {
    case .lean: "lean"
    case .standard: "standard"
    }
  }
}

extension PackKind: ExpressibleByArgument {
  public init?(argument: String) {
    guard let kind = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = kind
  }
  public static var allValueStrings: [String] { allCases.map(\.name) }
  public var defaultValueDescription: String { name }
  /// Empty, because the names need no description.
  public static var allValueDescriptions: [String: String] { [:] }
}

extension PackProfile: ExpressibleByArgument {
  public init?(argument: String) {
    guard let profile = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = profile
  }
  public static var allValueStrings: [String] { allCases.map(\.name) }
  public var defaultValueDescription: String { name }
  /// Empty, because the names need no description.
  public static var allValueDescriptions: [String: String] { [:] }
}

extension ListFormat: ExpressibleByArgument {}
extension ExportOptions.NumberPrefix: ExpressibleByArgument {}
extension ExportOptions.OverLimit: ExpressibleByArgument {}
extension LiveCallerIDOptions.Database: ExpressibleByArgument {}
extension LiveCallerIDOptions.Category: ExpressibleByArgument {}
