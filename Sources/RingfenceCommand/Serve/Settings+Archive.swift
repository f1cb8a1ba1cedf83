// SPDX-License-Identifier: Apache-2.0

import EmbeddedPostgreSQL
import Foundation

extension Settings {
  /// Whether and where the private PostgreSQL archives its write-ahead log.
  /// - Throws: ``CommandFailure`` when the settings have both an archive and DATABASE_URL.
  var archiving: EmbeddedPostgres.Archiving {
    get throws {
      guard let folder = try self.archive else { return .off }
      guard try self.databaseURL == nil else {
        throw CommandFailure.failed(
          "--archive needs the private PostgreSQL, and DATABASE_URL names another one. Archive that one with its own "
            + "tools, such as pgBackRest.")
      }
      let path = URL(filePath: folder).standardizedFileURL.resolvingSymlinksInPath().path
      return .on(EmbeddedPostgres.Archive(folder: path, timeout: try self.archiveTimeout))
    }
  }
}
