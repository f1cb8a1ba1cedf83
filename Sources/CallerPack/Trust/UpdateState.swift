#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a client remembers from one update to the next, in a small file of its own.
///
/// Write it last, when the packs are in place, and never put an older one back: it is what tells a downgrade.
public struct UpdateState: Codable, Sendable, Equatable {
  /// The newest publication that was taken: its serial and its manifest's SHA-256.
  public var seen: Manifest.Link?
  /// The newest root that was followed to: the whole file as it came.
  public var root: Data?

  /// - Parameters: see the properties; nothing of either before the first update.
  public init(seen: Manifest.Link? = nil, root: Data? = nil) {
    self.seen = seen
    self.root = root
  }

  /// The file's bytes.
  public func encoded() throws -> Data {
    Data(try CanonicalJSON.encode(self))
  }

  /// - Throws: ``UpdateError`` with `malformed`, also for a serial below 1.
  public init(decoding data: Data) throws(UpdateError) {
    guard data.count <= CanonicalJSON.limit, let state = try? JSONDecoder().decode(UpdateState.self, from: data),
      (state.seen?.serial ?? 1) >= 1
    else { throw .malformed("The file of what was seen before is damaged") }
    self = state
  }
}
