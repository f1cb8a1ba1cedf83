// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The server that a load test sends to, and the key that it sends; shared by the commands that send load.
struct LoadOptions: ParsableArguments {
  @Option(help: "The server, on this machine.")
  var url = "http://127.0.0.1:8080"

  @Option(help: "File with an API key. Default: RINGFENCE_API_KEY, or the key of the demo app in the data folder.")
  var keyFile: String?

  func validate() throws { _ = try target() }

  /// - Throws: `ValidationError` for an address that is not on this machine.
  func target() throws -> LoadTarget {
    guard let target = LoadTarget(url: url) else {
      throw ValidationError(
        "--url is http:// with a loopback address, such as http://127.0.0.1:8080. Other machines are refused.")
    }
    return target
  }
}
