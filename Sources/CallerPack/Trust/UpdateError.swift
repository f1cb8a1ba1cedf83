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

  /// The error and the next step.
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

extension Date {
  /// As documents write times.
  fileprivate var documentTime: String { formatted(.iso8601) }
}
