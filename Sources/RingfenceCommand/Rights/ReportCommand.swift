// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import HTTPServer
import Intake
import PackFormats
import Storage
import Support

struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Reports for authorities and the public.",
    subcommands: [Transparency.self, Statements.self])

  struct Transparency: AsyncParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
      case markdown, json, csv
    }

    static let configuration = CommandConfiguration(
      abstract: "Print the transparency report of a period.",
      discussion: "Decisions, answers, reversals and uses of rights are counts of the audit log.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var period: PeriodOptions

    @Option(help: "Output format: markdown, json or csv.")
    var format = Format.markdown

    func run() async throws {
      let period = try period.value
      let report = try await database.open { context in
        let pseudonymizer = try context.folder.pseudonymizer()
        return try await context.stores.transparency.report(of: period, at: Date(), bits: pseudonymizer.secret(for:))
      }
      let tables = TransparencyTable.all(of: report, try Localizer.commandLine())
      switch format {
      case .json: print(try CommandJSON.text(report))
      case .markdown:
        print("# \(report.from) – \(report.to)")
        for table in tables { print("\n## \(table.title)\n\n\(Self.markdown(table))") }
      case .csv:
        for table in tables {
          print(([table.title] + table.columns).map { CSVField.encode($0).text }.joined(separator: ","))
          for row in table.rows { print(([""] + row).map { CSVField.encode($0).text }.joined(separator: ",")) }
        }
      }
    }

    private static func markdown(_ table: TransparencyTable) -> String {
      ([table.columns, table.columns.map { _ in "---" }] + table.rows).map { row in
        "| \(row.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |"
      }.joined(separator: "\n")
    }
  }

  struct Statements: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write the statements of reasons of a period as JSON Lines.",
      discussion: """
        Each line has the fields of the DSA transparency database of the EU, and no number: its puid is random. Counts are \
        rounded down to their first digit.
        """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var period: PeriodOptions

    @Option(help: .value("codes", "Countries where the list is used: EEA codes with commas between."))
    var territory = StatementExport.countries.joined(separator: ",")

    func validate() throws {
      guard !codes.isEmpty, codes.allSatisfy(StatementExport.countries.contains) else {
        throw ValidationError("--territory is \"\(territory)\". Use codes of the EEA, such as DE,FR.")
      }
    }

    private var codes: [String] { territory.split(separator: ",").map(String.init) }

    func run() async throws {
      let (period, codes, texts) = (try period.value, codes, try Localizer.commandLine())
      try await database.open { context in
        try await context.stores.statements.forEach(since: period.lowerBound, until: period.upperBound) { batch in
          for statement in batch { print(try StatementExport(statement, territory: codes, texts).line) }
        }
      }
    }
  }
}

struct PeriodOptions: ParsableArguments {
  @Option(help: .value("day", "First day in UTC, such as 2026-01-01."))
  var from: String

  @Option(help: .value("day", "Last day in UTC."))
  var to: String

  func validate() throws { _ = try value }

  /// From the beginning of the first day to the end of the last.
  var value: Range<Date> {
    get throws {
      let first = try Self.day(from, "--from")
      let end = try Self.day(to, "--to").addingTimeInterval(86_400)
      guard first < end else { throw ValidationError("--from \(from) is after --to \(to). Swap them.") }
      return first..<end
    }
  }

  private static func day(_ text: String, _ option: String) throws -> Date {
    guard text.utf8.count == 10, let day = Timestamp.parse("\(text)T00:00:00Z") else {
      throw ValidationError("\(option) is \"\(text)\". Use a day such as 2026-01-31.")
    }
    return day
  }
}

/// A statement of reasons with the fields of the DSA transparency database (documentation of its API, 2026).
struct StatementExport: Encodable {
  /// The countries of the EEA, as the database names them.
  static let countries =
    "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK"
    .split(separator: " ").map(String.init)

  let puid, decision_ground, category, source_type, automated_detection, automated_decision, decision_facts: String
  let incompatible_content_ground, incompatible_content_explanation, incompatible_content_illegal: String
  let content_type_other, content_date, application_date: String
  let decision_visibility, content_type, territorial_scope: [String]
  var decision_visibility_other, end_date_visibility_restriction: String?
  var category_specification: [String]?

  init(_ statement: StoredStatement, territory: [String], _ texts: Localizer) {
    let facts = statement.facts
    puid = facts.id.uuidString.lowercased()
    decision_visibility = [
      statement.isBlocked ? "DECISION_VISIBILITY_OTHER" : "DECISION_VISIBILITY_CONTENT_LABELLED"
    ]
    decision_visibility_other = statement.isBlocked ? "Apps that use the list may reject calls of the number." : nil
    (decision_ground, incompatible_content_illegal) = ("DECISION_GROUND_INCOMPATIBLE_CONTENT", "No")
    (content_type, content_type_other) = (["CONTENT_TYPE_OTHER"], "Telephone number")
    let name = texts.category(statement.category)
    incompatible_content_ground = "Rules of the list, category \(name), thresholds of version \(facts.thresholds)"
    incompatible_content_explanation =
      switch facts.ground {
      case .reports: "Reports about the number met the limits of the category."
      case .decision: "A decision about the number gave it this treatment."
      case .range: "A rule for a range of numbers gave it this treatment."
      }
    (category, category_specification) = Self.category(of: statement.category)
    territorial_scope = territory
    content_date = Self.day(facts.firstReportedAt ?? statement.statedAt)
    application_date = Self.day(statement.statedAt)
    end_date_visibility_restriction = statement.endedAt.map(Self.day)
    let sources = facts.sources.isEmpty ? "" : " Lists with the number: \(facts.sources.joined(separator: ", "))."
    decision_facts = String(
      "Reports: \(Explanation.coarseCount(Int(facts.reports))). Reporters: \(Explanation.coarseCount(facts.reporters)). "
        .appending("Days with complaints: \(facts.days).\(sources)").prefix(5_000))
    source_type = facts.reports > 0 ? "SOURCE_TYPE_OTHER_NOTIFICATION" : "SOURCE_VOLUNTARY"
    automated_detection = facts.reports > 0 ? "Yes" : "No"
    automated_decision = facts.isAutomatic ? "AUTOMATED_DECISION_FULLY" : "AUTOMATED_DECISION_NOT_AUTOMATED"
  }

  var line: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  /// The category of the database, and its specification.
  private static func category(of category: ReportCategory) -> (String, [String]?) {
    switch category {
    case .fraud, .oneRing: ("STATEMENT_CATEGORY_SCAMS_AND_FRAUD", nil)
    case .pyramid: ("STATEMENT_CATEGORY_SCAMS_AND_FRAUD", ["KEYWORD_PYRAMID_SCHEMES"])
    case .harassment: ("STATEMENT_CATEGORY_CYBER_VIOLENCE", ["KEYWORD_CYBER_HARASSMENT"])
    default: ("STATEMENT_CATEGORY_OTHER_VIOLATION_TC", nil)
    }
  }

  private static func day(_ time: Date) -> String { String(Timestamp.format(time).prefix(10)) }
}
