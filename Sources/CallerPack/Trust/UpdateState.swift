// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The state that a client keeps from one update to the next, in a small file.
///
/// Save it when the packs are in place, and never restore an older one: a downgrade is detected by it.
public struct UpdateState: Codable, Sendable, Equatable {
  /// The newest publication that was accepted: its serial and the SHA-256 of its head; nil before the first update.
  public var seen: Manifest.Link?
  /// The newest root that was followed to: the complete file as it was fetched; nil while only a key is known.
  public var root: Data?

  /// Creates a state; by default the one before the first update.
  /// - Parameters:
  ///   - seen: the newest publication that was accepted.
  ///   - root: the complete file of the newest root.
  public init(seen: Manifest.Link? = nil, root: Data? = nil) {
    self.seen = seen
    self.root = root
  }

  /// Returns the content of the file.
  /// - Throws: errors of `JSONEncoder`.
  public func encoded() throws -> Data {
    Data(try CanonicalJSON.encode(self))
  }

  /// Reads the content of a file.
  /// - Parameter bytes: the complete file.
  /// - Throws: ``UpdateError`` with `malformed`, also for a serial below 1.
  public init(decoding data: Data) throws(UpdateError) {
    guard data.count <= CanonicalJSON.limit, let state = try? JSONDecoder().decode(UpdateState.self, from: data),
      (state.seen?.serial ?? 1) >= 1
    else { throw .malformed("The update state is damaged") }
    self = state
  }
}
