// SPDX-License-Identifier: Apache-2.0

/// Decides which rows of another server's evidence file count, so that evidence counts once however many servers pass it
/// on.
public struct ProvenanceOrigins: Sendable, Equatable {
  /// The id of this server; nil before its first publication.
  public var own: String?
  /// Whether this server recognizes its own evidence. If not, evidence that others pass on does not count.
  public var isOwnKnown: Bool
  /// The id of the server that publishes the file.
  public var publisher: String
  /// The ids of all servers that are subscribed to.
  public var subscribed: Set<String>

  /// - Parameters: see the properties.
  public init(own: String?, isOwnKnown: Bool = true, publisher: String, subscribed: Set<String>) {
    self.own = own
    self.isOwnKnown = isOwnKnown
    self.publisher = publisher
    self.subscribed = subscribed
  }

  /// The most servers that pass evidence on. Servers that pass evidence on to each other would otherwise confirm each other
  /// after it has left its origin: so each publication adds one, until the evidence does not count any more.
  public static let mostHops = 3

  /// Whether a row counts.
  ///
  /// It counts where the publisher has evidence of its own. Otherwise the publisher passes on the evidence of others, over
  /// at most ``mostHops`` servers, and one of these others is neither this server, nor one that is subscribed to itself,
  /// nor one that an entry of another source has brought already.
  /// - Parameters:
  ///   - origins: the servers with evidence of their own.
  ///   - hops: how many servers have passed the evidence on.
  ///   - known: origins of entries of other sources with the row's number.
  public func counts(_ origins: [String], hops: Int, known: Set<String>) -> Bool {
    origins.contains(publisher)
      || isOwnKnown && hops <= Self.mostHops
        && origins.contains { $0 != own && !subscribed.contains($0) && !known.contains($0) }
  }
}
