// SPDX-License-Identifier: Apache-2.0

public import CallerPack
public import Foundation

/// The initial trust of a client: a key or a root from another channel.
public struct TrustAnchor: Sendable {
  private enum Kind: Sendable {
    case key(VerifyingKey)
    case root(Data)
  }

  private let kind: Kind

  /// Trusts a key.
  public init(key: VerifyingKey) { kind = .key(key) }

  /// Trusts the keys of a root.
  /// - Parameter file: the complete content of a `root.json`.
  /// - Throws: `UpdateError`.
  public init(root file: Data) throws {
    _ = try TrustStore(root: file)
    kind = .root(file)
  }

  /// Identifies the anchor.
  var id: String {
    switch kind {
    case .key(let key): PackDigest.of(key.bytes).hex
    case .root(let file): PackDigest.of([UInt8](file)).hex
    }
  }

  func trust() throws -> TrustStore {
    switch kind {
    case .key(let key): TrustStore(key: key)
    case .root(let file): try TrustStore(root: file)
    }
  }
}
