// SPDX-License-Identifier: Apache-2.0

import Curation
import HTTPServer
import Moderation
import Storage

/// The failure of a command, in plain English with its exit code.
package struct CommandFailure: Error, CustomStringConvertible {
  /// The failure and the action for the user.
  package let description: String
  /// 1 wrong data or failed work, 2 wrong usage, 3 cannot read or write, 4 refused by a gate.
  package let exitCode: Int32

  /// Wrong data or failed work.
  package static func failed(_ description: String) -> CommandFailure {
    CommandFailure(description: description, exitCode: 1)
  }

  package static func unreadable(_ description: String) -> CommandFailure {
    CommandFailure(description: description, exitCode: 3)
  }
}

extension Localizer {
  /// The messages are in English.
  /// - Throws: `MessageCatalogError`; ``CommandFailure`` if the catalogs are not found.
  static func commandLine() throws -> Localizer {
    try Installation.find(Settings()).englishTexts()
  }
}

extension CommandFailure {
  /// - Throws: `MessageCatalogError`.
  static func refused(_ error: DecisionError) throws -> CommandFailure {
    switch error {
    case .stale: .failed("\(error)")
    case .protected(let reason):
      .failed(
        """
        The number is protected: \(try Localizer.commandLine().message(reason)). It can be neither blocked nor \
        identified. If that is wrong, remove the protection first with: ringfence protect remove. For a number that \
        its owner has suppressed: ringfence rights suppress NUMBER --lift
        """)
    }
  }
}
