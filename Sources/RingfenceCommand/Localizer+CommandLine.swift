// SPDX-License-Identifier: Apache-2.0

import Curation
import Localization
import Storage

extension Localizer {
  /// The messages of the command line, which are in English.
  /// - Throws: `MessageCatalogError`; ``CommandFailure`` if the catalogs are not found.
  static func commandLine() throws -> Localizer {
    try Installation.find(Settings()).englishTexts()
  }
}

extension CommandFailure {
  /// The failure of a refused decision.
  /// - Throws: `MessageCatalogError`.
  static func refused(_ error: DecisionError) throws -> CommandFailure {
    switch error {
    case .stale: .failed("\(error)")
    case .protected(let reason):
      .failed(
        """
        The number is protected: \(try Localizer.commandLine().message(reason)). It can be neither blocked nor \
        identified. If that is wrong, remove the protection first with: ringfence protect remove
        """)
    }
  }
}
