// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// `ringfence`: one binary, one file for each subcommand.
public struct Ringfence: AsyncParsableCommand {
  /// Name, help and subcommands.
  public static let configuration = CommandConfiguration(
    commandName: "ringfence",
    abstract: "Scores reports about phone numbers and publishes the listed numbers as small, signed packs.",
    discussion: """
      Exit codes: 0 success, 1 invalid data or failure, 2 invalid usage, 3 cannot read or write, 4 a gate stopped a \
      publication. `ringfence help fetch` lists those of fetch.
      """,
    version: RingfenceVersion.current,
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
      ProtectCommand.self,
      ReportersCommand.self,
      RangesCommand.self,
      AppealsCommand.self,
      ThresholdsCommand.self,
      SourcesCommand.self,
      KeysCommand.self,
      RecipesCommand.self,
      RegionsCommand.self,
      PackCommand.self,
      AppCommand.self,
      HealthcheckCommand.self,
      AccountCommand.self,
      SignInLinkCommand.self,
      RecountCommand.self,
      DoctorCommand.self,
      RetentionCommand.self,
      MigrateCommand.self,
      BackupCommand.self,
      RestoreCommand.self,
      ClusterCommand.self,
      SimulateCommand.self,
    ])

  /// Creates the command with its defaults.
  public init() {}
}
