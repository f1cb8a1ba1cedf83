// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `ringfence thresholds`
struct ThresholdsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "thresholds",
    abstract: "Show, preview and change the thresholds for a listing.",
    discussion: """
      A number is compared with the threshold of its category with the most heat, and of its country if the country has \
      its own threshold. It is listed when it reaches all limits under "enter". It stays listed until it falls below a \
      limit under "leave". Each change makes a new version with a reason. Old versions are kept.

      Instead of reporters, networks and days, a number may reach what is asked of one imported list: see \
      `ringfence sources`.
      """,
    subcommands: [ThresholdsShow.self, ThresholdsSet.self, ThresholdsPreview.self, ThresholdsHistory.self])
}

/// `ringfence sources`
struct SourcesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sources",
    abstract: "Subscribe to lists; show, preview and change the rules of imported ones.",
    discussion: """
      Entries of a list have no reporters. Each entry has the weight of its list. The number of entries and days of one \
      list replaces the limits for reporters, networks and days; heat, evidence and confidence of the category still \
      apply. The rule "default" is for lists without their own rule. Changes are versions of the thresholds.
      """,
    subcommands: [
      SourcesAdd.self, SourcesStatus.self, SourcesRefresh.self, SourcesRemove.self, SourcesResume.self,
      SourcesList.self, SourcesSet.self, SourcesPreview.self,
    ])
}

/// The format of a command's output.
enum TableFormat: String, ExpressibleByArgument, CaseIterable {
  case text, tsv, json
}
