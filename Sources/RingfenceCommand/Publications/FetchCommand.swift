import ArgumentParser
import CallerPack
import Fetching
import Foundation
import OutboundHTTP

/// `ringfence fetch`
struct FetchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Fetch the newest publication, check every byte of it, and put it in place at once.",
    discussion: """
      DIR/current is a link to the newest whole set: current/manifest.json and current/NAME.rfpack.

      Exit codes: 0 fine, 5 nothing new (with --exit-code), 10 not signed by whom is trusted, 11 expired, 12 older than \
      what was fetched before, 13 the network, 14 a file is not what the manifest says, 2 wrong usage, 3 cannot read or \
      write.
      """)

  @Argument(help: "Folder of the publications, such as https://HOST/v1 or file:///PATH/publications.")
  var url: String

  @Option(help: "The public key that is trusted from the start, or a file with it, or a root.json.")
  var key: String

  @Option(help: "A file with an app's key for the server of URL; else RINGFENCE_APP_KEY, for RINGFENCE_APP_ORIGIN.")
  var appKeyFile: String?

  @Option(help: "Folder to fetch into.")
  var out: String

  @Option(help: "Name of a pack that is wanted; may be repeated. All, unless it is given.")
  var pack: [String] = []

  @Option(help: "Another format that is wanted beside the packs, such as csv; may be repeated.")
  var format: [String] = []

  @Option(help: "Append key=value lines of what changed to this file.")
  var summary: String?

  @Flag(help: "Exit with 5 when nothing is new.")
  var exitCode = false

  @Option(help: "Seconds that all may take.")
  var timeout = 1_800

  @Option(help: "How often a request that fails is tried again.")
  var retries = 6

  func validate() throws {
    guard UpdateSource(url) != nil else {
      throw ValidationError("URL is http, https or file, without a password, query or fragment.")
    }
    guard (1...86_400).contains(timeout) else { throw ValidationError("--timeout is 1 to 86400 seconds.") }
    guard (0...100).contains(retries) else { throw ValidationError("--retries is 0 to 100.") }
  }

  func run() async throws {
    guard let source = UpdateSource(url) else { return }
    let step = StatusLine("Fetching")
    defer { step.finish() }
    let result: FetchSummary
    do {
      result = try await OutboundHTTP.withClient { client in
        let fetcher = try UpdateFetcher(
          source: source, folder: URL(filePath: out).standardizedFileURL.path, anchor: try anchor(),
          choice: FetchChoice(packs: pack.isEmpty ? nil : Set(pack), formats: Set(format)), client: client,
          key: try appKey(for: source), retries: retries)
        return try await within(.seconds(timeout)) { try await fetcher.run(progress: { step.say($0) }) }
      }
    } catch let error as FetchError {
      throw CommandFailure(error)
    } catch let error as UpdateError {
      throw CommandFailure(FetchError.refused(error))
    }
    print(result.text)
    if let summary { try append(result.lines, to: summary) }
    if exitCode, !result.hasChanged { throw ExitCode(5) }
  }

  /// A key as it is printed, or a file with one or with a root.
  private func anchor() throws -> TrustAnchor {
    if let key = VerifyingKey(key) { return TrustAnchor(key: key) }
    guard let data = FileManager.default.contents(atPath: key) else {
      throw CommandFailure.unreadable("--key is neither a key (44 characters of Base64) nor a file that can be read.")
    }
    let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    if let key = VerifyingKey(text) { return TrustAnchor(key: key) }
    return try TrustAnchor(root: data)
  }

  /// A secret: no option takes it, and it travels in the clear to this machine only.
  private func appKey(for source: UpdateSource) throws -> AppKey? {
    if let appKeyFile {
      let text = try Settings.secret(in: appKeyFile)
      return try source.origin.map { try key(text, in: "--app-key-file", for: $0) }
    }
    let settings = try Settings()
    guard let text = try settings.appKey, let origin = source.origin else { return nil }
    // A variable is there for every run: a mistyped address must not get the key.
    guard let name = try settings.appOrigin else {
      throw CommandFailure.failed(
        """
        RINGFENCE_APP_KEY is set, and RINGFENCE_APP_ORIGIN does not say which server it is for, such as \(origin): it is \
        sent to that one alone. Nothing was fetched.
        """)
    }
    guard let owner = URL(string: name).flatMap({ WebOrigin($0) }) else {
      throw CommandFailure.failed("RINGFENCE_APP_ORIGIN is the address of a server, such as https://HOST.")
    }
    return try key(text, in: "RINGFENCE_APP_KEY", for: owner)
  }

  private func key(_ text: String, in name: String, for origin: WebOrigin) throws -> AppKey {
    guard let key = AppKey(text, for: origin) else {
      throw CommandFailure.failed("\(name) holds no app's key: that is a line of printable ASCII without spaces.")
    }
    guard origin.isPrivate else {
      throw CommandFailure.failed("An app's key travels by https only, or to this machine. Give an address with https.")
    }
    return key
  }

  private func within(
    _ time: Duration, _ work: @escaping @Sendable () async throws -> FetchSummary
  ) async throws -> FetchSummary {
    try await withThrowingTaskGroup(of: FetchSummary.self) { group in
      group.addTask { try await work() }
      group.addTask {
        try await Task.sleep(for: time)
        throw FetchError.network("It took longer than \(timeout) seconds. Fetch again: it goes on where it broke off.")
      }
      defer { group.cancelAll() }
      guard let first = try await group.next() else { throw CancellationError() }
      return first
    }
  }

  private func append(_ lines: String, to path: String) throws {
    let isThere = FileManager.default.fileExists(atPath: path)
    if !isThere, !FileManager.default.createFile(atPath: path, contents: nil) {
      throw CommandFailure.unreadable("The summary \(path) cannot be written.")
    }
    guard let file = FileHandle(forWritingAtPath: path) else {
      throw CommandFailure.unreadable("The summary \(path) cannot be written.")
    }
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: Data(lines.utf8))
  }
}

extension CommandFailure {
  /// The exit code says what kind of refusal it is.
  init(_ error: FetchError) {
    let code: Int32 =
      switch error {
      case .network, .missing, .key: 13
      case .busy: 1
      case .noSuchFormat: 2
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
    self.init(description: "\(error)", exitCode: code)
  }
}
