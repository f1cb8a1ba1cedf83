// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import CallerPack
package import Fetching
package import OutboundHTTP
import PackFormats
import Support

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The surroundings of the commands. A main program or a test may replace the standard ones.
package struct PackConsole: Sendable {
  package enum Unit: Sendable, Equatable {
    case bytes
    case items(String)
  }

  /// Receives the results, including line ends.
  package var output: @Sendable (String) -> Void
  /// Receives errors and notes, including line ends.
  package var remarks: @Sendable (String) -> Void
  /// Receives the progress of a long command, the total, 0 if that is unknown, and their unit.
  package var progress: @Sendable (_ done: UInt64, _ total: UInt64, _ unit: Unit) -> Void
  /// Receives the step of a download; nil at its end.
  package var step: @Sendable (String?) -> Void = { _ in }
  /// Runs a download with a client.
  package var withClient:
    @Sendable (@escaping @Sendable (OutboundHTTP) async throws -> FetchSummary) async throws -> FetchSummary = {
      try await $0(OutboundHTTP(PlatformTransport()))
    }
  /// Reads a setting by its name, such as `app-key`; nil if it is not set.
  package var setting: @Sendable (String) throws -> String? = { try EnvironmentSetting.read($0) }

  package init(
    output: @escaping @Sendable (String) -> Void, remarks: @escaping @Sendable (String) -> Void,
    progress: @escaping @Sendable (UInt64, UInt64, Unit) -> Void = { _, _, _ in }
  ) {
    (self.output, self.remarks, self.progress) = (output, remarks, progress)
  }

  /// Standard output and standard error. The process ends if it cannot write a result.
  package static let standard = PackConsole(
    output: { text in
      guard !writeAll(text.utf8, to: STDOUT_FILENO) else { return }
      _ = writeAll("error: cannot write standard output\n".utf8, to: STDERR_FILENO)
      exit(PackExitCode.inputOutput.rawValue)
    },
    remarks: { _ = writeAll($0.utf8, to: STDERR_FILENO) })

  @TaskLocal package static var current = PackConsole.standard
}

/// A setting of the environment: `RINGFENCE_NAME`, or the content of the file that `RINGFENCE_NAME_FILE` names.
enum EnvironmentSetting {
  static func read(_ name: String) throws -> String? {
    let variable = "RINGFENCE_" + String(name.uppercased().map { $0 == "-" ? "_" : $0 })
    let environment = ProcessInfo.processInfo.environment
    if let text = environment[variable], !text.isEmpty { return text }
    guard let file = environment["\(variable)_FILE"], !file.isEmpty else { return nil }
    return try secret(in: file)
  }

  /// - Throws: ``PackFailure`` if the file cannot be read or is empty.
  static func secret(in file: String) throws -> String {
    guard let bytes = try? InputFile(file).readAll(limit: 1 << 16) else {
      throw PackFailure("Cannot read the file \(file). Check its name, owner and permissions.", exitCode: 3)
    }
    let text = String(decoding: bytes, as: UTF8.self).drop(while: \.isWhitespace).reversed()
    let secret = String(text.drop(while: \.isWhitespace).reversed())
    guard !secret.isEmpty else {
      throw PackFailure("The file \(file) is empty. Write the secret into it.", exitCode: 3)
    }
    return secret
  }
}

/// A failure whose message says what to do.
package struct PackFailure: Error, CustomStringConvertible {
  package let description: String
  /// As the help of a command lists them.
  package let exitCode: Int32

  package init(_ description: String, exitCode: Int32) { (self.description, self.exitCode) = (description, exitCode) }
}

package enum PackExitCode {
  package static let badData = ExitCode(1)
  package static let usage = ExitCode(2)
  package static let inputOutput = ExitCode(3)

  /// Runs a command's work; prints an error to the console and throws its exit code.
  /// - Parameter known: the exit code of errors of other modules; nil for unknown ones.
  package static func report<Result>(
    known: (any Error) -> ExitCode? = { _ in nil }, _ work: () throws -> Result
  ) throws -> Result {
    do {
      return try work()
    } catch let error as ExitCode {
      throw error
    } catch let error as ValidationError {
      throw error
    } catch {
      PackConsole.current.remarks("error: \(error)\n")
      throw known(error) ?? of(error)
    }
  }

  package static func of(_ error: any Error) -> ExitCode {
    switch error {
    case let error as PackError: error.code == .inputOutput ? inputOutput : badData
    case PackFormatError.file: inputOutput
    case PackFormatError.option: usage
    case is PackFormatError, is ListLineError: badData
    default: inputOutput
    }
  }
}

extension PackKind {
  /// The name on the command line and in JSON.
  package var name: String {
    switch self {
    case .blocking: "blocking"
    case .identification: "identification"
    case .both: "both"
    }
  }
}

extension PackProfile {
  /// The name on the command line and in JSON.
  var name: String {
    switch self {
    case .lean: "lean"
    case .standard: "standard"
    }
  }
}

extension ArgumentHelp {
  /// The help of an option whose value has this name, such as its unit.
  static func value(_ name: String, _ text: String) -> ArgumentHelp { ArgumentHelp("\(text)", valueName: name) }
}

/// A count with its noun: 1 change, 2 changes.
package func count(_ value: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
  "\(value) \(value == 1 ? noun : plural ?? noun + "s")"
}

/// - Throws: `ValidationError` if a value of an option is out of its range.
func check(_ value: Int, _ option: String, in range: ClosedRange<Int>, unit: String = "") throws {
  guard range.contains(value) else {
    throw ValidationError("\(option) is \(value)\(unit). Use \(range.lowerBound) to \(range.upperBound).")
  }
}
