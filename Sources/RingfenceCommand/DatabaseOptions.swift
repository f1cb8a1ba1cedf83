// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options for the data folder and the database, shared by all commands that need them.
package struct DatabaseOptions: ParsableArguments {
  @Option(\.data) var data: String?

  @Option(\.config) var config: String?

  package init() {}

  /// The settings, including those of the command line.
  /// - Parameter given: values of further options, by the name of the setting.
  package func settings(_ given: [String: String?] = [:]) throws -> Settings {
    try Settings(given.merging(["data": data, "config": config]) { $1 })
  }
}
