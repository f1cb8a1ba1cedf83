import ArgumentParser

/// `ringfence thresholds`
struct ThresholdsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "thresholds",
    abstract: "What a number must have against it to be listed: show, try and change it.",
    discussion: """
      A number is held against the threshold of the category that most of its heat is in, and of its country where the \
      country has one of its own. To be listed it must reach everything under "enter"; once it is listed it stays until \
      it is under something of "leave". Every change makes a new version with its reason; old versions stay readable.

      Instead of reporters, networks and days, a number may reach what is asked of one imported list: see \
      `ringfence sources`.
      """,
    subcommands: [ThresholdsShow.self, ThresholdsSet.self, ThresholdsPreview.self, ThresholdsHistory.self])
}

/// `ringfence sources`
struct SourcesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sources",
    abstract: "What imported lists count for: show, try and change it.",
    discussion: """
      Rows of a list have no reporters, and never pass for distinct ones. They weigh what their list does, and so many \
      of one list on so many days can list a number, together with heat, evidence and confidence of its category. The \
      rule named "default" is for every list without one of its own. Changes are versions of the thresholds.
      """,
    subcommands: [SourcesList.self, SourcesSet.self, SourcesPreview.self])
}

/// How a command prints.
enum TableFormat: String, ExpressibleByArgument, CaseIterable {
  case text, tsv, json
}
