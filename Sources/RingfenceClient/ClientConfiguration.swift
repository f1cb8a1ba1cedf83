public import CallerPack
public import Foundation

/// What a client has to know.
public struct ClientConfiguration: Sendable {
  /// Whom the client trusts with packs.
  public enum Anchor: Sendable {
    /// A key, as `ringfence keys list` prints it.
    case key(VerifyingKey)
    /// The content of a `root.json` that came with the app.
    case root(Data)
  }

  /// The server's API, which ends in `/v1`.
  public let server: URL
  /// The app's key.
  public let key: String
  /// A folder of the client's own: outbox, packs, what was seen. Not one that is backed up to another phone.
  public let folder: URL
  /// Whom packs must be signed by; nil for an app that fetches none.
  public let anchor: Anchor?
  /// Where packs are published; without it the server. The key is sent there only where it is the server itself: the same
  /// scheme, host and port.
  public let publications: URL
  /// The most bytes of accepted things that wait; over it new ones are refused with ``ClientError/full``, and nothing
  /// that was accepted is given up.
  public let outboxLimit: Int

  /// - Parameters: see the properties.
  /// - Throws: ``ClientError/configuration(_:)``: over anything but a loopback address keys travel by https only.
  public init(
    server: URL, key: String, folder: URL, anchor: Anchor? = nil, publications: URL? = nil, outboxLimit: Int = 2 << 20
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
  }

  /// Whether packs come from the server that knows the key.
  var publicationsAreTheServers: Bool { WebOrigin(publications) == WebOrigin(server) }
}
