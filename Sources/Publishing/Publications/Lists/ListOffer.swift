// SPDX-License-Identifier: Apache-2.0

package import CallerPack
package import PackFormats

/// A pack of the newest publication with numbers to block, and the formats in which programs can take it.
package struct ListOffer: Sendable {
  /// The numbers with one label.
  package struct Category: Sendable, Equatable {
    package let label: String
    package let entries: Int
  }

  /// More labels than these are names of callers and not categories.
  private static let mostCategories = 32

  package let pack: ManifestPack
  /// The count of numbers to block.
  package let entries: Int
  /// The labels of these numbers, the most frequent first; empty if the pack has none, or names of callers.
  package let categories: [Category]
  package let formats: [ListFormat]

  /// - Returns: nil for a pack that only identifies.
  init?(of pack: ManifestPack, in folder: PublicationFolder) throws {
    guard pack.kind != "identification" else { return nil }
    let reader = try PackReader.open(path: folder.filePath(pack.path))
    let entries = reader.header.blockingCount
    self.pack = pack
    self.entries = entries
    categories = reader.header.identificationCount > 0 ? try Self.categories(of: reader) : []
    formats = ListFormat.allCases.filter { entries <= $0.maximumEntries ?? .max }
  }

  private static func categories(of reader: PackReader) throws -> [Category] {
    var counts: [String: Int] = [:]
    let cursor = try reader.makeCursor()
    while try cursor.next() {
      guard cursor.roles.contains(.blocks), let label = cursor.label else { continue }
      counts[label, default: 0] += 1
      if counts.count > mostCategories { return [] }
    }
    return counts.map { Category(label: $0.key, entries: $0.value) }
      .sorted { ($1.entries, $0.label) < ($0.entries, $1.label) }
  }
}
