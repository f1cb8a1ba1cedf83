public import ArgumentParser

/// `ringfence pack`: makes, reads, checks and converts packs.
public struct PackCommand: AsyncParsableCommand {
  /// The command's name and its help.
  public static let configuration = CommandConfiguration(
    commandName: "pack",
    abstract: "Make, read, check and convert packs of phone numbers.",
    discussion: """
      Exit codes: 0 all is well; 1 the data is bad, and the entry and the rule are said; 2 the command was used \
      wrongly; 3 a file cannot be read or written.
      """,
    subcommands: [
      PackBuildCommand.self, PackInfoCommand.self, PackVerifyCommand.self, PackDumpCommand.self,
      PackExportLiveCallerIDCommand.self, PackDiffCommand.self, PackApplyCommand.self, PackLookupCommand.self,
    ])

  /// A command without a subcommand shows its help.
  public init() {}
}
