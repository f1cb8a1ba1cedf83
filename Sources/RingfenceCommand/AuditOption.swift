// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Localization
import Storage

/// The option of commands whose change the audit log records.
struct AuditOption: ParsableArguments {
  @Option(help: .value("name", "Name for the audit log, 1 to 80 characters on one line."))
  var by = "command line"

  var actor: Actor { .commandLine(by) }

  func validate() throws { try Self.check(by) }

  /// - Throws: `ValidationError` where the name is not one line of 1 to 80 characters.
  static func check(_ name: String) throws {
    do throws(RuleViolation) {
      _ = try RuleViolation.line(name, "--by", atMost: 80)
    } catch {
      throw ValidationError(try Localizer.commandLine().message(error))
    }
  }
}
