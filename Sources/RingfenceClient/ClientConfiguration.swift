// SPDX-License-Identifier: Apache-2.0

public import CallerPack
public import Foundation

/// The settings of a client.
///
/// ```swift
/// let configuration = try ClientConfiguration(
///   server: URL(string: "https://ringfence.example/v1")!, key: "rf_…", folder: container, anchor: .key(key))
/// ```
public struct ClientConfiguration: Sendable {
  /// The address of the server's API, which ends in `/v1`.
  public let server: URL
  /// The app's API key.
  public let key: String
  /// The folder of the client, for outbox, packs and update state. Exclude it from backups to other phones.
  public let folder: URL
  /// The trust anchor of packs; nil for an app that fetches none.
  public let anchor: TrustAnchor?
  /// The address of the published packs; by default the server. The key is sent to it only if it has the server's
  /// scheme, host and port.
  public let publications: URL
  /// The greatest size of the outbox in bytes. Beyond it the client refuses new reports and counts with
  /// ``ClientError/full`` and keeps the ones that it accepted.
  public let outboxLimit: Int
  /// The product and version that the server is told with each request for the manifest, together with the serial of
  /// the packs that this client holds; nil for nothing. It names no phone and no person.
  public let product: ClientProduct?

  /// Creates a configuration.
  /// - Parameters:
  ///   - server: the address of the API; https, or http for a loopback address.
  ///   - key: printable ASCII without spaces.
  ///   - folder: a folder for this client only.
  ///   - anchor: the trust anchor of packs.
  ///   - publications: the address of the published packs, if it is not the server's.
  ///   - outboxLimit: 4,096 to 67,108,864 bytes.
  ///   - product: the product and version that the server is told; nil for nothing.
  /// - Throws: ``ClientError/configuration(_:)`` for a value out of range, and for another address than https or
  ///   loopback.
  public init(
    server: URL, key: String, folder: URL, anchor: TrustAnchor? = nil, publications: URL? = nil,
    outboxLimit: Int = 2 << 20, product: ClientProduct? = .app
  ) throws(ClientError) {
    for url in [server, publications ?? server] {
      guard WebOrigin(url)?.isPrivate == true, url.user == nil, url.query == nil
      else { throw .configuration("The address must begin with https:// and hold no name, password or query.") }
    }
    guard !key.isEmpty, key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      throw .configuration("The app's key must be printable ASCII without spaces.")
    }
    guard (4_096...(64 << 20)).contains(outboxLimit) else {
      throw .configuration("outboxLimit is 4 KB to 64 MB.")
    }
    self.server = server
    self.key = key
    self.folder = folder
    self.anchor = anchor
    self.publications = publications ?? server
    self.outboxLimit = outboxLimit
    self.product = product
  }

  /// Whether packs come from the server that knows the key.
  var publicationsAreTheServers: Bool { WebOrigin(publications) == WebOrigin(server) }
}

extension ClientProduct {
  /// The app's own name and version, from its bundle. Characters that a product cannot have are left out.
  public static var app: ClientProduct? {
    func value(_ key: String, _ most: Int) -> String? {
      (Bundle.main.infoDictionary?[key] as? String).map { text in
        String(text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }.prefix(most))
      }
    }
    return ClientProduct(
      name: value("CFBundleName", 40) ?? "ringfence-client", version: value("CFBundleShortVersionString", 20) ?? "0")
  }
}

/// The clock and the random numbers of a client. Tests replace them.
public struct ClientEnvironment: Sendable {
  /// Returns the current time.
  public var now: @Sendable () -> Date
  /// Waits for a number of seconds; ends early when its task is canceled.
  public var sleep: @Sendable (_ seconds: Double) async throws -> Void
  /// Returns a random number from 0 to 1.
  public var chance: @Sendable () -> Double

  /// Creates an environment, by default the system's.
  /// - Parameters:
  ///   - now: returns the current time.
  ///   - sleep: waits for a number of seconds.
  ///   - chance: returns a random number from 0 to 1.
  public init(
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (_ seconds: Double) async throws -> Void = {
      try await Task.sleep(nanoseconds: UInt64(max(0, min($0, 1e9)) * 1e9))
    },
    chance: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    self.now = now
    self.sleep = sleep
    self.chance = chance
  }
}
