import ArgumentParser
import Foundation
import OutboundHTTP

/// `ringfence healthcheck`: what a container asks, without a shell and without curl.
struct HealthcheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "healthcheck", abstract: "Ask a server whether it is well; exit code 0 when it says so.",
    discussion: "Ask /healthz for whether it runs, /readyz for whether it wants requests.")

  @Option(help: "What to ask.")
  var url = "http://127.0.0.1:8080/healthz"

  @Option(help: "Seconds to wait, 1 to 60.")
  var seconds = 4

  func validate() throws {
    guard URL(string: url)?.scheme?.hasPrefix("http") == true else {
      throw ValidationError("--url begins with http:// or https://.")
    }
    guard (1...60).contains(seconds) else { throw ValidationError("--seconds is 1 to 60.") }
  }

  func run() async throws {
    guard let url = URL(string: url) else { return }
    let status: Int
    do {
      status = try await OutboundHTTP.withClient { client in
        try await client.send(OutboundRequest("GET", url), limit: 1 << 16, total: .seconds(seconds)).head.status
      }
    } catch {
      throw CommandFailure.failed("Nobody answers at \(url).")
    }
    guard status == 200 else { throw CommandFailure.failed("\(url) answers with status \(status).") }
  }
}
