#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why an update was refused; what was held before stays good.
public enum UpdateError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A document is longer than is read.
  case tooLarge(bytes: Int, limit: Int)
  /// A document breaks a rule of its form; a sentence without a full stop.
  case malformed(String)
  /// A document of a form that this reader does not know.
  case unsupported(version: Int, known: Int)
  /// Too few of the trusted keys have signed; the ids of those that have.
  case unknownKey([String])
  /// A signature under a trusted key's id is not that key's.
  case badSignature(keyID: String)
  /// The time until which the manifest was good.
  case expired(Date)
  /// The time until which the newest root was good.
  case rootExpired(Date)
  /// Older than what was seen before: serials.
  case downgrade(seen: Int64, got: Int64)
  /// The manifest does not continue what was seen before: serials.
  case brokenChain(seen: Int64, got: Int64)
  /// A root that is not the next one: serials.
  case rootOutOfOrder(expected: Int, got: Int)
  /// A pack that is wanted is not in the manifest.
  case noSuchPack(String)
  /// A file that was fetched is not the one that the manifest names.
  case wrongFile(path: String, expected: String, got: String)
  /// A pack or delta is damaged.
  case pack(PackError)

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .tooLarge(let bytes, let limit): "The document has \(bytes) bytes; at most \(limit) are read."
    case .malformed(let rule): "\(rule). Fetch it again; if that does not help, tell whoever publishes it."
    case .unsupported(let version, let known):
      "The document is of version \(version); this reader knows version \(known). Update it."
    case .unknownKey(let ids):
      """
      Signed by \(ids.map { String($0.prefix(16)) }.joined(separator: ", ")), which is not a key that is trusted. \
      Follow the roots from the one you have, or check the key you were given.
      """
    case .badSignature(let id): "The signature by the key \(id) is wrong: the document was changed."
    case .expired(let date): "The manifest was good until \(date.documentTime). Look for a newer one."
    case .rootExpired(let date): "The root was good until \(date.documentTime). Look for a newer one."
    case .downgrade(let seen, let got): "Publication \(got) is older than \(seen), which was seen before."
    case .brokenChain(let seen, let got):
      "Publication \(got) does not continue publication \(seen), which was seen before."
    case .rootOutOfOrder(let expected, let got): "Root \(got) came where root \(expected) must come next."
    case .noSuchPack(let name): "There is no pack \(name) in this publication. Look at the names in its manifest."
    case .wrongFile(let path, let expected, let got):
      "\(path) is not the file that the manifest names: expected \(expected), got \(got). Fetch it again."
    case .pack(let error): "\(error)"
    }
  }
}

extension Date {
  /// As documents write times.
  fileprivate var documentTime: String { formatted(.iso8601) }
}
