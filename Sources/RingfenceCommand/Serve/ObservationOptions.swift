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
    if let token = environment["RINGFENCE_METRICS_TOKEN"], !token.isEmpty {
      return try Self.checked(token, from: "RINGFENCE_METRICS_TOKEN")
    }
    guard let file = environment["RINGFENCE_METRICS_TOKEN_FILE"], !file.isEmpty else { return nil }
    guard let data = FileManager.default.contents(atPath: file) else {
      throw CommandFailure.unreadable(
        "The token of the metrics \(file) cannot be read. Check its name, owner and permissions.")
    }
    return try Self.checked(String(decoding: data, as: UTF8.self), from: file)
  }

  private static func checked(_ text: String, from place: String) throws -> String {
    let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard (16...200).contains(token.utf8.count) else {
      throw CommandFailure.failed("\(place) must hold 16 to 200 characters. Make one with: openssl rand -hex 32")
    }
    return token
  }
}
