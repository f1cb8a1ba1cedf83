// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import PackFormats

/// Writes the numbers of a pack that are to be blocked in another format.
struct ListBuild: Sendable {
  let folder: PublicationFolder
  let pack: ManifestPack
  let format: ListFormat
  /// The earlier pack from which on the changes are written; nil for the complete list.
  let base: String?

  func write(_ path: String) throws {
    let reader = try PackReader.open(path: folder.filePath(pack.path))
    var options = ExportOptions(for: pack, reader.header)
    options.phonebookLimit = ListFormat.fritzbox.maximumEntries ?? options.phonebookLimit
    let writer = try format.writer(to: .file(URL(filePath: path)), options: options)
    var entries = try ListEntries(reader, since: try base.map { try PackReader.open(path: $0) })
    while let entry = try entries.next() { try writer.append(entry) }
    _ = try writer.finish()
  }
}
