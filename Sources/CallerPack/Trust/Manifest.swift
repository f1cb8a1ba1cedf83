// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The content of a publication: the document that makes a set of packs visible.
///
/// A manifest is published in parts, so that a reader of one pack fetches little: the signed ``ManifestHead`` in
/// `manifest.json`, the bins that the head names by digest, and for each pack a description that a bin names by digest.
/// ``parts()`` creates them, and ``ManifestReader`` reads them.
public struct Manifest: Sendable, Equatable {
  /// The version of the form of heads.
  public static let version = 3
  /// The media type of the head in an envelope.
  public static let payloadType = "application/vnd.ringfence.manifest+json"

  /// The serial of the publication, which rises from 1. A serial may be missing: one of an unfinished publication is
  /// not used again.
  public var serial: Int64
  /// The time of the publication, in whole seconds.
  public var issued: Date
  /// The time at which the numbers were scored, in whole seconds. It is before ``issued`` when revocations were made
  /// later.
  public var asOf: Date
  /// The expiry time. After it the manifest is refused, because somebody may be withholding a newer one.
  public var expires: Date
  /// The previous publication; nil for the first.
  public var previous: Link?
  /// The packs, ordered by name; names are unique.
  public var packs: [ManifestPack]

  /// A publication, identified by its serial and its content.
  public struct Link: Codable, Sendable, Hashable {
    /// The serial of the publication.
    public var serial: Int64
    /// SHA-256 of the head, which is the payload of the envelope: 64 lower-case hex digits.
    public var sha256: String

    /// Creates a link to a publication.
    /// - Parameters:
    ///   - serial: the serial of the publication.
    ///   - sha256: 64 lower-case hex digits.
    public init(serial: Int64, sha256: String) {
      self.serial = serial
      self.sha256 = sha256
    }
  }

  /// Creates a manifest. Times are cut to whole seconds, and packs are sorted by name.
  /// - Parameters:
  ///   - serial: from 1.
  ///   - issued: the time of the publication.
  ///   - asOf: the time at which the numbers were scored.
  ///   - expires: the expiry time.
  ///   - previous: the previous publication; nil for the first.
  ///   - packs: the packs, with unique names.
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
  /// This time, cut to whole seconds as documents contain them.
  var wholeSeconds: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}
