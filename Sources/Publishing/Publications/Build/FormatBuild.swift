// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import PackFormats

/// Writes a publication's packs in the other formats of their recipes.
struct FormatBuild: Sendable {
  let folder: PublicationFolder
  let serial: Int64

  /// Returns the files in these formats and writes missing ones. An unchanged pack has its files already.
  /// - Throws: `PackFormatError` for an entry that a format cannot represent; this stops the publication.
  func files(of pack: ManifestPack, formats: [String]) throws -> [ManifestPack.File] {
    try Set(formats).sorted().compactMap { name in
      if let file = pack.formats.first(where: { $0.format == name }) { return file }
      guard let format = ListFormat(rawValue: name), pack.entries > 0 else { return nil }
      let path = "formats/\(pack.name)-\(pack.serial).\(format.fileExtension)"
      let file = folder.stagedPath(path)
      let source = pack.serial == serial ? folder.stagedPath(pack.path) : folder.filePath(pack.path)
      let reader = try PackReader.open(path: source)
      let writer = try format.writer(to: .file(URL(filePath: file)), options: ExportOptions(for: pack, reader.header))
      let cursor = try reader.makeCursor()
      while try cursor.next() {
        try writer.append(
          ListEntry(number: cursor.number, label: cursor.label, blocks: cursor.roles.contains(.blocks)))
      }
      _ = try writer.finish()
      return ManifestPack.File(
        format: name, bytes: try DurableFile.length(file), sha256: try PackDigest.ofFile(file).hex, path: path)
    }
  }
}

extension ExportOptions {
  /// The options with the name, the serial and the time of a pack.
  init(for pack: ManifestPack, _ header: PackHeader) {
    self.init()
    listName = "Ringfence \(pack.name)"
    serial = pack.serial
    time = header.createdAt
  }
}
