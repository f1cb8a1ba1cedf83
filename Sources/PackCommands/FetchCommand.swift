// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import CallerPack
package import Fetching
import OutboundHTTP
import Support

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

package struct FetchCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Download and verify the newest publication.",
    discussion: """
      OUT/current is a link to the newest complete set: current/manifest.json and current/NAME.rfpack.

      Exit codes: 0 success, 5 nothing new (with --exit-code), 10 no trusted signature, 11 expired, 12 older than the \
      last download, 13 network error, 14 a file does not match the manifest, 2 invalid usage, 3 cannot read or write.
      """)

  @Argument(help: "Address of the publications, such as https://HOST/v1 or file:///PATH/publications.")
  var url: String

  @Option(help: "Trusted public key, a file with it, or a root.json.")
  var key: String

  @Option(
    help: .value(
      "file", "File with an API key for this server. Default: RINGFENCE_APP_KEY, for the server RINGFENCE_APP_ORIGIN."))
  var appKeyFile: String?

  @Option(help: .value("folder", "Folder for the downloaded files."))
  var out: String

  @Option(help: "Pack to download; can be repeated. Default: all packs.")
  var pack: [String] = []

  @Option(help: "Additional format to download, such as csv; can be repeated.")
  var format: [String] = []

  @Option(help: .value("file", "Append key=value lines about the changes to this file."))
  var summary: String?

  @Option(
    help: .value(
      "name/version",
      "Product that is sent to the server, with the serial in OUT; none sends nothing."))
  var product = "ringfence-packs/\(ringfenceVersion)"

  @Flag(help: "Exit with code 5 if nothing is new.")
  var exitCode = false

  @Option(help: .value("seconds", "Time limit in seconds, 1 to 86400."))
  var timeout = 1_800

  @Option(help: .value("count", "Retries of a failed request, 0 to 100."))
  var retries = 6

  package init() {}

  package func validate() throws {
    guard UpdateSource(url) != nil else {
      throw ValidationError(
        "URL is not valid. Use http, https or file, without a password, query or fragment.")
    }
    try check(timeout, "--timeout", in: 1...86_400, unit: " seconds")
    try check(retries, "--retries", in: 0...100)
    guard product == "none" || ClientProduct(product) != nil else {
      throw ValidationError(
        "--product \(product) is not valid. Use NAME/VERSION of letters, digits, dots, hyphens and underscores, or none."
      )
    }
  }

  package func run() async throws {
    guard let source = UpdateSource(url) else { return }
    // Before anything changes: a pipeline that does not learn of new packs never ships them.
    if let summary { try append("", to: summary) }
    let console = PackConsole.current
    console.step("Fetching")
    defer { console.step(nil) }
    let result: FetchSummary
    do {
      let (anchor, appKey) = (try anchor(), try appKey(for: source))
      let folder = URL(filePath: out).standardizedFileURL.path
      let choice = FetchChoice(packs: pack.isEmpty ? nil : Set(pack), formats: Set(format))
      let (retries, product) = (retries, ClientProduct(product))
      result = try await withinTimeout {
        try await console.withClient { client in
          let fetcher = try UpdateFetcher(
            source: source, folder: folder, anchor: anchor, choice: choice, client: client, key: appKey,
            product: product, retries: retries)
          return try await fetcher.run(progress: { console.step($0) })
        }
      }
    } catch let error as FetchError {
      throw PackFailure(error)
    } catch let error as UpdateError {
      throw PackFailure(.refused(error))
    }
    console.output("\(result.text)\n")
    if let summary { try append(result.lines, to: summary) }
    if exitCode, !result.hasChanged { throw ExitCode(5) }
  }

  /// The trusted key: as printed, or a file with a key or a root.
  private func anchor() throws -> TrustAnchor {
    switch try TrustedKey(key) {
    case .key(let key): return .key(key)
    case .root(let file):
      do {
        return try .root(checking: file)
      } catch .malformed(let reason) {
        throw PackFailure(
          "--key \(key) has neither a public key nor a root: \(reason). Export the root again.", exitCode: 2)
      }
    }
  }

  /// The API key. It is a secret, so no option takes it, and it is sent unencrypted only to this machine.
  private func appKey(for source: UpdateSource) throws -> AppKey? {
    if let appKeyFile {
      let text = try EnvironmentSetting.secret(in: appKeyFile)
      return try source.origin.map { try key(text, in: "--app-key-file", for: $0) }
    }
    let setting = PackConsole.current.setting
    guard let text = try setting("app-key"), let origin = source.origin else { return nil }
    // An environment variable applies to every run; a mistyped address must not receive the key.
    guard let name = try setting("app-origin") else {
      throw PackFailure(
        """
        RINGFENCE_APP_KEY is set without RINGFENCE_APP_ORIGIN, so the key is sent to no server. Set \
        RINGFENCE_APP_ORIGIN to the key's server, such as \(origin). Nothing was fetched.
        """, exitCode: 1)
    }
    guard let owner = URL(string: name).flatMap({ WebOrigin($0) }) else {
      throw PackFailure("RINGFENCE_APP_ORIGIN is not the address of a server. Write it as https://HOST.", exitCode: 1)
    }
    return try key(text, in: "RINGFENCE_APP_KEY", for: owner)
  }

  private func key(_ text: String, in name: String, for origin: WebOrigin) throws -> AppKey {
    guard let key = AppKey(text, for: origin) else {
      throw PackFailure("\(name) does not contain an API key. Write the key on one line, without spaces.", exitCode: 1)
    }
    guard origin.isPrivate else {
      throw PackFailure(
        "The API key is not sent over unencrypted HTTP to another machine. Use an https address.", exitCode: 1)
    }
    return key
  }

  /// Limits the time of the work. It does not wait for canceled work to end, because an attempt to connect is only
  /// given up after 10 seconds. The folder is in order at every moment.
  private func withinTimeout(_ work: @escaping @Sendable () async throws -> FetchSummary) async throws -> FetchSummary {
    let timeout = timeout
    let (results, first) = AsyncThrowingStream<FetchSummary, any Error>.makeStream()
    let fetch = Task {
      do { first.yield(try await work()) } catch { first.finish(throwing: error) }
    }
    let limit = Task {
      try await Task.sleep(for: .seconds(timeout))
      first.finish(
        throwing: FetchError.network(
          "The download took longer than \(timeout) s. Run it again to continue, or raise --timeout."))
    }
    defer {
      fetch.cancel()
      limit.cancel()
    }
    for try await summary in results { return summary }
    throw CancellationError()
  }

  private func append(_ lines: String, to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    defer { close(file) }
    guard file >= 0, writeAll(lines.utf8, to: file) else {
      throw PackFailure("Cannot write the summary \(path). Check its folder and permissions.", exitCode: 3)
    }
  }
}

extension PackFailure {
  /// The exit code states the kind of the error.
  package init(_ error: FetchError) {
    let code: Int32 =
      switch error {
      case .request, .network, .missing, .key: 13
      case .busy: 1
      case .noSuchPack, .noSuchFormat: 2
      case .cannotWrite: 3
      case .refused(let reason):
        switch reason {
        case .unknownKey, .badSignature, .rootOutOfOrder: 10
        case .expired, .rootExpired: 11
        case .downgrade, .brokenChain: 12
        case .noSuchPack: 2
        case .tooLarge, .malformed, .unsupported, .wrongFile, .pack: 14
        }
      }
    self.init("\(error)", exitCode: code)
  }
}
