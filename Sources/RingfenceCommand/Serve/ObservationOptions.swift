import ArgumentParser
import Foundation
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

  /// What a reader of /metrics from elsewhere bears: RINGFENCE_METRICS_TOKEN, or the file that
  /// RINGFENCE_METRICS_TOKEN_FILE names. Never an argument, which everybody on the machine can read.
  func metricsToken(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String? {
    guard let token = try SecretSetting.read("RINGFENCE_METRICS_TOKEN", environment: environment) else { return nil }
    guard (16...200).contains(token.utf8.count) else {
      throw CommandFailure.failed(
        "RINGFENCE_METRICS_TOKEN must hold 16 to 200 characters. Make one with: openssl rand -hex 32")
    }
    return token
  }
}
