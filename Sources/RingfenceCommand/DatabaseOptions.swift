import ArgumentParser

/// Where the data lies; shared by every command that needs it.
package struct DatabaseOptions: ParsableArguments {
  @Option(\.data) var data: String?

  @Option(\.config) var config: String?

  package init() {}

  /// The settings, with those that the command line gives.
  /// - Parameter given: values of further options, by the name of the setting.
  package func settings(_ given: [String: String?] = [:]) throws -> Settings {
    try Settings(given.merging(["data": data, "config": config]) { $1 })
  }
}
