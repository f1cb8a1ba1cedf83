// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Importing
import Intake
import Storage

extension CommandContext {
  /// Imports a file of complaints with a progress bar.
  /// - Parameters:
  /// - source: the source under which its rows are counted; added if it is new.
  /// - subjects: path of a table of subjects; nil for the shipped one.
  /// - rejects: path of a file for rejected lines.
  func importComplaints(
    from path: String, format: ComplaintFormat, source: String, subjects: String? = nil, rejects: String? = nil,
    title: String = "Importing"
  ) async throws -> ImportSummary {
    var options = ImportOptions(
      path: path, format: format, source: source,
      subjects: try SubjectTable(contentsOf: subjects ?? "\(installation.resources)/ftc-subjects.tsv"))
    options.rejectsPath = rejects
    options.droppedBefore = try await stores.retention.reportsDroppedBefore()
    guard source != SourceRule.everyListName else {
      throw CommandFailure.failed("\(source) is the name of the rule for all lists. Choose another name with --source.")
    }
    let list = try await stores.apps.source(named: source, at: Date())
    guard try await !stores.sources.ids().contains(list.id) else {
      throw CommandFailure.failed(
        "\(source) is a source that is or was downloaded. Complaints of a file would get its rule and its ceiling. Choose "
          + "another name with --source.")
    }
    let protection = ProtectionCache(store: stores.protection)
    try await protection.refresh()
    let sink = ComplaintSink(
      store: stores.reports, source: list, pseudonymizer: try folder.pseudonymizer(), protection: protection)
    let meter = ProgressMeter(importing: path, title: title, output: progressOutput())
    defer { meter.finish() }
    let summary = try await ImportPipeline(options: options).run(
      progress: { meter.update($0) }, into: { try await sink.take($0) })
    try await stores.reports.refreshStatistics()
    return summary
  }
}
