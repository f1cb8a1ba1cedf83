// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import CurlHTTP
import OutboundHTTP
import PackCommands
import ServerSupport
import Curation
import PostgreSQL
import Foundation
import Importing
import HTTPServer
import Moderation
import Publishing
import Storage

/// `ringfence`: one binary, one file for each subcommand.
struct Ringfence: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ringfence",
    abstract: "Scores reports about phone numbers and publishes the listed numbers as small, signed packs.",
    discussion: """
      Exit codes: 0 success, 1 invalid data or failure, 2 invalid usage, 3 cannot read or write, 4 a gate stopped a \
      publication. `ringfence help fetch` lists the exit codes of fetch.
      """,
    version: ringfenceVersion,
    subcommands: [
      ServeCommand.self,
      ImportCommand.self,
      PublishCommand.self,
      RevokeCommand.self,
      FetchCommand.self,
      ExplainCommand.self,
      DecideCommand.self,
      DecisionsCommand.self,
      HoldsCommand.self,
      QueueCommand.self,
      NotifyCommand.self,
      ProtectCommand.self,
      ReportersCommand.self,
      RangesCommand.self,
      AppealsCommand.self,
      ThresholdsCommand.self,
      SourcesCommand.self,
      KeysCommand.self,
      RecipesCommand.self,
      RegionsCommand.self,
      NumberingCommand.self,
      PackCommand.self,
      AppCommand.self,
      HealthcheckCommand.self,
      AccountCommand.self,
      SignInLinkCommand.self,
      RecountCommand.self,
      ReportCommand.self,
      RightsCommand.self,
      DoctorCommand.self,
      RetentionCommand.self,
      MigrateCommand.self,
      BackupCommand.self,
      RestoreCommand.self,
      UpgradePostgresCommand.self,
      ClusterCommand.self,
      SimulateCommand.self,
    ])
}

/// Runs the command line and ends the process with its exit code: 0 success, 1 wrong data or failed work, 2 wrong
/// usage, 3 cannot read or write, 4 refused by a gate.
public func runRingfence() async -> Never {
  let progress = PackProgress()
  let console = PackConsole.ofServer(progress)
  let code = await PackConsole.$current.withValue(console) { await exitCode(running: Ringfence.self) }
  progress.finish()
  exit(code)
}

/// Runs the command that the command line names, and prints its error in one or two lines.
package func exitCode<Root: ParsableCommand>(running root: Root.Type) async -> Int32 {
  do {
    var command = try root.parseAsRoot()
    if let asynchronous = command as? any AsyncParsableCommand {
      // A server's changes are its users'.
      let author = asynchronous is ServeCommand ? nil : CommandAuthor.unnamed
      try await CommandAuthor.$current.withValue(author) {
        var command = asynchronous
        try await command.run()
      }
    } else {
      try command.run()
    }
    return 0
  } catch let error as ExitCode {
    // The command has printed its own message.
    return error.rawValue
  } catch {
    return report(error, of: root)
  }
}

/// Prints an error in one or two lines.
/// - Returns: the exit code.
private func report<Root: ParsableCommand>(_ error: any Error, of root: Root.Type) -> Int32 {
  switch error {
  case let failure as CommandFailure:
    complain("Error: \(failure)")
    return failure.exitCode
  case let failure as PackFailure:
    complain("Error: \(failure)")
    return failure.exitCode
  case let violation as RuleViolation:
    complain("Error: \((try? Localizer.commandLine().message(violation)) ?? violation.description)")
    return 1
  case let error as DecisionError:
    complain("Error: \((try? CommandFailure.refused(error).description) ?? "\(error)")")
    return 1
  case let problem as ThresholdProblem:
    complain("Error: \((try? Localizer.commandLine().message(problem)) ?? problem.description)")
    return 1
  case let error as PostgresError:
    complain("Error: \(error)\(whatTheDatabaseSaid(error))")
    return 1
  case PostgresMigrationError.failed(_, _, let cause):
    complain("Error: \(error)\(whatTheDatabaseSaid(cause))")
    return 1
  case is PublishingError, is AssemblyError:
    complain("Error: \(text(of: PublicationFailure(error)))")
    return isAboutFiles(error) ? 3 : 1
  case let error where isAboutFiles(error):
    complain("Error: \(error)")
    return 3
  case let error as CocoaError where error.filePath != nil || error.underlying is POSIXError:
    complain("Error: \(whatTheSystemSaid(error))")
    return 3
  default:
    break
  }
  // Help and version arrive as errors with code 0.
  let message = root.fullMessage(for: error)
  switch root.exitCode(for: error) {
  case .success:
    print(message)
    return 0
  case .validationFailure:
    let arguments = Array(CommandLine.arguments.dropFirst())
    // ArgumentParser suggests similar names where it finds an unknown one.
    let unknown = message.contains("Unknown option") ? nil : UnknownOption.refusal(of: arguments, root: root)
    complain((FormerName.refusal(of: arguments) ?? unknown).map { "Error: \($0)" } ?? message)
    return 2
  default:
    // An error that the validation of a command threw: ArgumentParser has it in an error of its own.
    complain("\(type(of: error))" == "CommandError" ? message : "Error: \(error)")
    return 1
  }
}

/// The sentence for a failed publication, or its code if the message catalogs cannot be read.
private func text(of failure: PublicationFailure) -> String {
  let texts = try? Localizer.commandLine()
  return texts?.message("publications.failure", failure) ?? failure.json
}

/// The database's own message, detail and hint, and the action for the operator, on separate lines.
private func whatTheDatabaseSaid(_ error: PostgresError) -> String {
  let advice: String? =
    switch error.sqlState {
    case "42501":
      "Make the role the owner of the database: ALTER DATABASE … OWNER TO …; or run GRANT CREATE ON SCHEMA public TO …"
    case "3F000": "Create a schema for the role: CREATE SCHEMA public AUTHORIZATION …"
    case "25006":
      """
      The server is a standby, or the role is read-only (default_transaction_read_only). List all hosts in DATABASE_URL \
      with target_session_attrs=read-write, or reset the setting.
      """
    case "53300": "A server uses up to 20 connections. Raise the limit of the role, the database or max_connections."
    default: nil
    }
  let said = [error.server?.message ?? error.clientMessage, error.server?.detail, error.server?.hint, advice]
  return said.compactMap { $0?.trimmingCharacters(in: .whitespacesAndNewlines) }.map { "\n\($0)" }.joined()
}

/// The sentence for an error of Foundation about a file.
private func whatTheSystemSaid(_ error: CocoaError) -> String {
  let reason = (error.underlying as? POSIXError).map { String(cString: strerror($0.code.rawValue)) }
  let file = error.filePath ?? error.url?.path
  return "Cannot read or write \(file ?? "a file"): \(reason ?? "error \(error.code.rawValue)"). "
    + "Check its permissions and the free space of its disk."
}

private func complain(_ text: String) {
  try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8))
}

/// Whether a file or folder could not be read or written, in contrast to wrong data.
private func isAboutFiles(_ error: any Error) -> Bool {
  switch error {
  case ImportFileError.cannotRead, ImportFileError.cannotWrite, PublishingError.cannotWrite,
    EmbeddedPostgresError.archiveUnusable, EmbeddedPostgresError.folderUnusable,
    EmbeddedPostgresError.folderNotPassable:
    true
  default: false
  }
}

extension PackConsole {
  /// With progress on the terminal, libcurl, and all origins of settings.
  fileprivate static func ofServer(_ progress: PackProgress) -> PackConsole {
    var console = standard
    console.progress = { progress.update(done: $0, total: $1, unit: $2) }
    console.step = { progress.say($0) }
    console.withClient = { work in try await OutboundHTTP.withClient { try await work($0) } }
    console.setting = { name in
      let settings = try Settings()
      return name == SettingList.all.appKey.description.name ? try settings.appKey : try settings.appOrigin
    }
    return console
  }
}

/// Shows the progress of a pack command after its first report.
private final class PackProgress: Sendable {
  private let meter = LazyValue<ProgressMeter>()
  private let line = LazyValue<StatusLine>()

  func update(done: UInt64, total: UInt64, unit: PackConsole.Unit) {
    let unit: ProgressMeter.Unit =
      switch unit {
      case .bytes: .bytes
      case .items(let name): .items(name)
      }
    meter.makeIfNeeded { ProgressMeter(title: "Working", total: total == 0 ? nil : total, unit: unit) }
      .update(done: done)
  }

  /// - Parameter step: nil at the end of the work.
  func say(_ step: String?) {
    if let step { line.makeIfNeeded { StatusLine(step) }.say(step) } else { line.value?.finish() }
  }

  func finish() {
    meter.value?.finish()
  }
}
