import ArgumentParser
import Telemetry

/// How a server can be watched.
struct ObservationOptions: ParsableArguments {
  @Option(
    help: "How lines of the log look: text, or json for programs.",
    transform: { text in
      guard let format = LogFormat(rawValue: text) else { throw ValidationError("--log-format is text or json.") }
      return format
    })
  var logFormat = LogFormat.text

  @Flag(help: "Log a line for each request: its route, never its address.")
  var logRequests = false
}
