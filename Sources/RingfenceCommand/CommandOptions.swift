// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import HTTPServer
import PhoneNumbers
import Storage

/// The options for the data folder and the database, shared by all commands that need them.
package struct DatabaseOptions: ParsableArguments {
  @Option(\.data) var data: String?

  @Option(\.config) var config: String?

  package init() {}

  package func settings() throws -> Settings { try Settings(of: self) }

  /// Opens the database for a command that may run while a server runs; see
  /// ``CommandContext/open(_:owns:makes:migrates:archiving:logger:_:)``.
  package func open<Result>(
    makes: Bool = false, migrates: Bool = true, _ body: (CommandContext) async throws -> Result
  ) async throws -> Result {
    try await CommandContext.open(try settings(), makes: makes, migrates: migrates, body)
  }
}

struct NumberOptions: ParsableArguments {
  @Argument(help: "Number in international form, such as +33199000248, or in national form with --region.")
  var number: String

  @Option(help: "Country of a number in national form: two letters, such as FR.")
  var region: String?

  func validate() throws {
    _ = try digits
  }

  var digits: Int64 {
    get throws {
      do {
        // A number may be newer than the plan.
        return try PhoneNumber.parsePossible(number, region: region).number.digits
      } catch {
        throw ValidationError("NUMBER: \(error)")
      }
    }
  }
}

/// The country of numbers that a command reads.
struct RegionOption: ParsableArguments {
  @Option(help: "Country of numbers in national form and of short numbers: two letters, such as FR.")
  var region: String?

  func validate() throws {
    guard let region, !PhoneRegion.isSupported(region) else { return }
    throw ValidationError(
      "--region \"\(region)\" is not a country with telephone numbers. Use two letters, such as FR.")
  }
}

/// The option of commands whose change the audit log records.
struct AuditOption: ParsableArguments {
  @Option(help: .value("name", "Name for the audit log, 1 to 80 characters on one line."))
  var by = Self.standard

  private static let standard = "command line"

  var actor: Actor { .commandLine(by) }

  func validate() throws { try Self.check(by) }

  /// - Throws: `ValidationError` where the name breaks the rule of ``AccountName``.
  static func check(_ name: String) throws {
    do throws(RuleViolation) {
      if name != Self.standard { _ = try AccountName.check(name, "--by") }
    } catch {
      throw ValidationError(try Localizer.commandLine().message(error))
    }
  }
}

/// The option for the format of a command's output.
struct TableOptions: ParsableArguments {
  private enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, tsv, json
  }

  @Option(help: "Output format: text, tsv or json.")
  private var format = Format.text

  /// - Parameter text: the output for people; nil for the aligned table.
  func print(_ table: TextTable, text: String? = nil, json: some Encodable) throws {
    switch format {
    case .text: Swift.print(text ?? table.aligned)
    case .tsv: Swift.print(table.tsv)
    case .json: Swift.print(try CommandJSON.text(json))
    }
  }
}

/// - Throws: `ValidationError` if a value of an option is out of its range.
func check(_ value: Int?, _ option: String, in range: ClosedRange<Int>, unit: String = "") throws {
  if let value, !range.contains(value) {
    throw ValidationError("\(option) is \(value)\(unit). Use \(range.lowerBound) to \(range.upperBound).")
  }
}

/// - Throws: `ValidationError` if a text has too few or too many characters.
func checkLength(_ text: String?, _ name: String, in range: ClosedRange<Int>) throws {
  if let text, !range.contains(text.count) {
    throw ValidationError("\(name) has \(text.count) characters. Use \(range.lowerBound) to \(range.upperBound).")
  }
}

/// - Throws: `ValidationError` if a text is not a name of an app or a list.
func checkName(_ text: String?, _ name: String = "The name") throws {
  if let text, !App.isName(text) {
    throw ValidationError("\(name) is not valid. Use 1 to 80 characters on one line without control characters.")
  }
}
