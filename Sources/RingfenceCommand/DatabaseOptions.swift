import ArgumentParser

/// Where the data lies; shared by every command that needs it.
package struct DatabaseOptions: ParsableArguments {
  @Option(help: "Folder for keys, publications and, unless DATABASE_URL is set, a private PostgreSQL.")
  package var data = ".ringfence"

  package init() {}
}
