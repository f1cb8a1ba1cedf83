// SPDX-License-Identifier: Apache-2.0

package import CallerPack
package import Foundation
import Timestamps

/// The newest publication's figures for a home-screen widget.
package struct PublicationSummary: Encodable {
  package let serial: Int64
  package let asOf: String
  package let updatedAt: String
  package let expiresAt: String
  /// Nil if the server does not publish on schedule.
  package let nextExpectedAt: String?
  /// The entries of the longest list of each kind. Lists overlap, so they are not added.
  package let numbers: Numbers
  /// The requested region, or that of the language.
  package let region: String?
  /// The entries of the longest list of this region; nil if there is none.
  package let regionNumbers: Int?

  package struct Numbers: Encodable {
    package let blocking: Int
    package let identification: Int
  }

  private enum CodingKeys: String, CodingKey {
    case serial, numbers, region
    case asOf = "as_of"
    case updatedAt = "updated_at"
    case expiresAt = "expires_at"
    case nextExpectedAt = "next_expected_at"
    case regionNumbers = "region_numbers"
  }

  package init(_ manifest: Manifest, next: Date?, region: String?) {
    serial = manifest.serial
    asOf = Timestamp.format(manifest.asOf)
    updatedAt = Timestamp.format(manifest.issued)
    expiresAt = Timestamp.format(manifest.expires)
    nextExpectedAt = next.map { Timestamp.format($0) }
    numbers = Numbers(
      blocking: Self.longest(manifest.packs.filter { $0.kind != "identification" }) ?? 0,
      identification: Self.longest(manifest.packs.filter { $0.kind != "blocking" }) ?? 0)
    self.region = region
    regionNumbers = region.flatMap { region in
      Self.longest(
        manifest.packs.filter { pack in
          let name = (pack.region ?? "").uppercased()
          return name == region || name.hasPrefix("\(region)-")
        })
    }
  }

  /// The longest list. Packs that are parts of one list, by region or shard, have no common numbers and are added.
  private static func longest(_ packs: [ManifestPack]) -> Int? {
    Dictionary(grouping: packs, by: list).values.map { $0.reduce(0) { $0 + $1.entries } }.max()
  }

  private static func list(of pack: ManifestPack) -> String {
    var name = pack.name
    if let shard = pack.shard, name.hasSuffix(".\(shard)") { name.removeLast(".\(shard)".count) }
    if let region = pack.region?.lowercased(), name.hasSuffix("-\(region)") { name.removeLast(region.count + 1) }
    return name
  }
}
