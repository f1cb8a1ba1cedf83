// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The reason why an update was refused. The packs of the previous update stay valid.
public enum UpdateError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A document is longer than the limit.
  case tooLarge(bytes: Int, limit: Int)
  /// A document breaks a rule of its form: a sentence without a full stop.
  case malformed(String)
  /// A document has a version that this reader does not know.
  case unsupported(version: Int, known: Int)
  /// Too few of the trusted keys have signed. Contains the ids of the keys that signed.
  case unknownKey([String])
  /// A signature under the id of a trusted key is invalid.
  case badSignature(keyID: String)
  /// The manifest has expired at this time.
  case expired(Date)
  /// The newest root has expired at this time.
  case rootExpired(Date)
  /// The publication is older than one that was seen before: serials.
  case downgrade(seen: Int64, got: Int64)
  /// The manifest does not continue the publication that was seen before: serials.
  case brokenChain(seen: Int64, got: Int64)
  /// The root is not the next one: serials.
  case rootOutOfOrder(expected: Int, got: Int)
  /// The manifest has no pack with this name.
  case noSuchPack(String)
  /// A fetched file is not the one that the manifest names.
  case wrongFile(path: String, expected: String, got: String)
  /// A pack or delta is damaged.
  case pack(PackError)

  /// A sentence that says what is wrong and what to do.
  public var description: String {
    switch self {
    case .tooLarge(let bytes, let limit): "The document has \(bytes) bytes. The limit is \(limit)."
    case .malformed(let rule): "\(rule). Fetch it again. If that does not help, contact the publisher."
    case .unsupported(let version, let known):
      "The document has version \(version). This program supports version \(known). Update the program."
    case .unknownKey(let ids):
      """
      Signed by \(ids.map { String($0.prefix(16)) }.joined(separator: ", ")), which is not a trusted key. Follow the \
      roots from the one you have, or check your key.
      """
    case .badSignature(let id): "The signature of key \(id) is wrong: the document was changed. Fetch it again."
    case .expired(let date): "The manifest expired at \(date.documentTime). Fetch a newer one."
    case .rootExpired(let date): "The root expired at \(date.documentTime). Fetch a newer one."
    case .downgrade(let seen, let got): "Publication \(got) is older than the last accepted publication \(seen)."
    case .brokenChain(let seen, let got):
      "Publication \(got) does not continue the last accepted publication \(seen)."
    case .rootOutOfOrder(let expected, let got): "Root \(got) was received, but root \(expected) must come next."
    case .noSuchPack(let name): "There is no pack \(name) in this publication. Its manifest lists the names."
    case .wrongFile(let path, let expected, let got):
      "\(path) does not match the manifest: expected \(expected), got \(got). Fetch it again."
    case .pack(let error): "\(error)"
    }
  }
}
