// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer

/// The files installed with the program: migrations, templates, style sheets, tables.
package struct Installation: Sendable {
  /// The folder with `Migrations/`, `Public/` and `Resources/`.
  package let root: String

  package var migrations: String { "\(root)/Migrations" }
  package var templates: String { "\(root)/Resources/Templates" }
  package var texts: String { "\(root)/Resources/Localization" }
  package var publicFiles: String { "\(root)/Public" }
  package var resources: String { "\(root)/Resources" }
  var openAPI: String { "\(resources)/openapi.yaml" }
  var commonPasswords: String { "\(resources)/common-passwords.txt" }

  /// - Throws: `MessageCatalogError`.
  func englishTexts() throws -> Localizer { try MessageCatalog(folder: texts)[.english] }

  /// The folder of the setting `home`, or the nearest folder above the program with these files, or
  /// /usr/share/ringfence.
  /// - Throws: ``CommandFailure`` if none has them.
  package static func find(_ settings: Settings) throws -> Installation {
    var candidates: [String] = []
    if let home = try settings.home {
      candidates = [home]
    } else {
      var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
      if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
        folder = URL(filePath: own).deletingLastPathComponent()
      }
      while folder.path != "/" {
        candidates.append(folder.path)
        folder = folder.deletingLastPathComponent()
      }
      candidates.append("/usr/share/ringfence")
    }
    let parts = ["Migrations", "Public", "Resources"]
    for root in candidates where parts.allSatisfy({ FileManager.default.fileExists(atPath: "\(root)/\($0)") }) {
      return Installation(root: root)
    }
    throw CommandFailure.unreadable(
      """
      The folder with Migrations/, Public/ and Resources/ was not found. Set RINGFENCE_HOME to its path.
      """
    )
  }
}
