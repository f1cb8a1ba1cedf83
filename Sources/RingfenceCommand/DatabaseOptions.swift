// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options for the data folder and the database, shared by all commands that need them.
package struct DatabaseOptions: ParsableArguments {
  @Option(\.data) var data: String?

  @Option(\.config) var config: String?

  package init() {}

  /// The settings, including these options.
  package func settings() throws -> Settings { try Settings(of: self) }
}
