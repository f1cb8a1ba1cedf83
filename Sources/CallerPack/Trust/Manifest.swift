#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The content of a publication: the document that makes a set of packs visible.
///
/// It is published in parts, so that a reader of one pack fetches little: the signed ``ManifestHead`` in `manifest.json`,
/// the bins that it names by digest, and for each pack the description that its bin names by digest. ``parts()`` makes
/// them, and ``ManifestReader`` reads them.
public struct Manifest: Sendable, Equatable {
  /// The version of the head's form.
  public static let version = 3
  /// The media type of the head in an envelope.
  public static let payloadType = "application/vnd.ringfence.manifest+json"

  /// Rises with every publication, from 1. Serials may be skipped: one that was begun and not finished is never used.
  public var serial: Int64
  /// When it was made, whole seconds. For a publication of the night the moment that the numbers were weighed at.
  public var issued: Date
  /// The moment that the numbers were weighed at, whole seconds; before `issued` when single numbers were taken out
  /// later.
  public var asOf: Date
  /// From then on it is not to be trusted any more: somebody may be withholding newer ones.
  public var expires: Date
  /// The publication before this one; nil for the first.
  public var previous: Link?
  /// In the order of their names, which are unique.
  public var packs: [ManifestPack]

  /// A publication by its serial and its content.
  public struct Link: Codable, Sendable, Hashable {
    /// Its serial.
    public var serial: Int64
    /// SHA-256 of its head, which is the payload of the envelope: 64 lower-case hex digits.
    public var sha256: String

    /// - Parameters: see the properties.
    public init(serial: Int64, sha256: String) {
      self.serial = serial
      self.sha256 = sha256
    }
  }

  /// - Parameters: see the properties; times are cut to whole seconds, packs are put in order.
  public init(serial: Int64, issued: Date, asOf: Date, expires: Date, previous: Link?, packs: [ManifestPack]) {
    self.serial = serial
    self.issued = issued.wholeSeconds
    self.asOf = asOf.wholeSeconds
    self.expires = expires.wholeSeconds
    self.previous = previous
    self.packs = packs.sorted { $0.name < $1.name }
  }
}

extension Date {
  /// What a time of whole seconds, as documents have it, makes of this one.
  var wholeSeconds: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}
