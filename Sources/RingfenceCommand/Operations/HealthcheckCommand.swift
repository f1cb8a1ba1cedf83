// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CurlHTTP
import Foundation
import OutboundHTTP

/// `ringfence healthcheck`: the health check for containers without a shell or curl.
struct HealthcheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "healthcheck", abstract: "Check a server; the exit code is 0 if it is healthy.",
    discussion: "/healthz tells whether the server runs, /readyz whether it accepts requests.")

  @Option(help: "Address to request.")
  var url = "http://127.0.0.1:8080/healthz"

  @Option(help: "Seconds to wait, 1 to 60.")
  var seconds = 4

  func validate() throws {
    guard URL(string: url)?.scheme?.hasPrefix("http") == true else {
      throw ValidationError("--url \"\(url)\" is not valid. Use http:// or https://.")
    }
    try check(seconds, "--seconds", in: 1...60)
  }

  func run() async throws {
    guard let url = URL(string: url) else { return }
    let status: Int
    do {
      status = try await OutboundHTTP.withClient { client in
        try await client.send(OutboundRequest("GET", url), limit: 1 << 16, total: .seconds(seconds)).head.status
      }
    } catch {
      throw CommandFailure.failed("No server answers at \(url). Start it, or pass another --url.")
    }
    guard status == 200 else {
      throw CommandFailure.failed("\(url) answered with status \(status). Read the server's log.")
    }
  }
}
