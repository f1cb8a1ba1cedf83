// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
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
  /// ``CommandContext/open(_:as:owns:makes:migrates:archiving:logger:_:)``.
  package func open<Result>(
    as audit: AuditOption? = nil, makes: Bool = false, migrates: Bool = true,
    _ body: (CommandContext) async throws -> Result
  ) async throws -> Result {
    try await CommandContext.open(try settings(), as: audit, makes: makes, migrates: migrates, body)
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

/// The options of commands whose change the audit log records.
package struct AuditOption: ParsableArguments {
  @Option(help: .value("account", "Account that the audit log names as the author."))
  var by: String?

  @Option(help: .value("name", "Program that the audit log names as the author, 1 to 80 characters on one line."))
  var byProgram: String?

  package init() {}

  var name: String { by ?? byProgram ?? CommandAuthor.unnamed.name }
  var actor: Actor { .commandLine(name) }
  /// The options for another command.
  var text: String { "\(by == nil ? "--by-program" : "--by") \(quoted(name))" }

  package func validate() throws {
    guard by == nil || byProgram == nil else {
      throw ValidationError("Pass --by for an account, or --by-program for a program, not both.")
    }
    do throws(RuleViolation) {
      if let by, by != CommandAuthor.unnamed.name { _ = try AccountName.check(by, "--by") }
      if let byProgram { _ = try AccountName.check(byProgram, "--by-program") }
    } catch {
      throw ValidationError(try Localizer.commandLine().message(error))
    }
  }

  /// - Throws: `ValidationError` for a change without an author.
  func checkIsGiven() throws {
    guard by == nil, byProgram == nil else { return }
    throw ValidationError("The author is missing. Pass --by ACCOUNT, or --by-program NAME for a program.")
  }

  /// The author with the role of the account.
  /// - Throws: ``CommandFailure`` for an unknown or disabled account, and for a program with the name of an account.
  func author(in accounts: AccountStore) async throws -> CommandAuthor {
    guard name != CommandAuthor.unnamed.name else { return .unnamed }
    let account = try await accounts.account(named: name, at: Date())
    guard let by else {
      guard account == nil else {
        throw CommandFailure.failed("--by-program \(name): this is an account. Pass --by \(quoted(name)).")
      }
      return CommandAuthor(program: name)
    }
    guard let account else {
      throw CommandFailure.failed(
        "--by \(by): there is no such account, and the audit log names accounts. Add it with: ringfence account add "
          + "\(quoted(by)). If a program runs the command, pass --by-program \(quoted(by)).")
    }
    guard account.disabledAt == nil else {
      throw CommandFailure.failed(
        "--by \(by): the account is disabled, so it changes nothing. Pass another account, or enable it with: ringfence "
          + "account enable \(quoted(by)). If a program runs the command, pass --by-program NAME.")
    }
    return CommandAuthor(name: by, role: account.role)
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

/// The same of a number with decimals.
func check(_ value: Double?, _ option: String, in range: ClosedRange<Int>) throws {
  if let value, !(Double(range.lowerBound)...Double(range.upperBound)).contains(value) {
    throw ValidationError("\(option) is \(value). Use \(range.lowerBound) to \(range.upperBound).")
  }
}

/// - Throws: `ValidationError` if a text has too few or too many characters.
func checkLength(_ text: String?, _ name: String, in range: ClosedRange<Int>) throws {
  if let count = text?.unicodeScalars.count, !range.contains(count) {
    throw ValidationError("\(name) has \(count) characters. Use \(range.lowerBound) to \(range.upperBound).")
  }
}

/// - Throws: `ValidationError` if a reason is blank, too long, has several lines or control characters.
func checkReason(_ text: String?, atMost most: Int = TextLimit.reason) throws {
  guard let text else { return }
  do throws(RuleViolation) {
    _ = try RuleViolation.line(text, "--reason", atMost: most)
  } catch {
    throw ValidationError(try Localizer.commandLine().message(error))
  }
}

/// - Throws: `ValidationError` if a text is not a name of an app or a list.
func checkName(_ text: String?, _ name: String = "The name") throws {
  if let text, !App.isName(text) {
    throw ValidationError(
      "\(name) is not valid. Use 1 to 80 characters on one line without control or invisible characters.")
  }
}
