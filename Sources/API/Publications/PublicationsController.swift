// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes
import Hummingbird
import Publishing

/// Serves the files of the publication folder under `/v1/`: the manifest, the roots, packs, deltas, and packs in other
/// formats.
struct PublicationsController: Sendable {
  let folder: PublicationFolder
  let files: FileAnswer
  let newest: NewestManifest

  /// `GET /v1/manifest` and `/v1/manifest.json`: the newest publication's manifest, unchanged.
  @Sendable func manifest(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await files.answer(folder.manifestPath, freshness: .checked, to: request, context: context)
  }

  /// `GET /v1/root.json`: the newest root.
  @Sendable func newestRoot(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await files.answer("\(folder.path)/root.json", freshness: .checked, to: request, context: context)
  }

  /// `GET /v1/FOLDER/{file}`: a file that never changes, so that caches may keep it.
  func files(in folder: String) -> @Sendable (Request, ServerRequestContext) async throws -> Response {
    { request, context in
      let file = try context.parameters.require("file")
      guard Self.isPublished(file) else { throw Problem.notFound }
      // A file is served even if the manifest is damaged.
      let known = try? await newest.file("\(folder)/\(file)")
      return try await files.answer(
        "\(self.folder.path)/\(folder)/\(file)", known: known, freshness: .forEver, to: request, context: context)
    }
  }

  /// Whether a name can be that of a published file. Such names cannot leave the folder and are not temporary files.
  static func isPublished(_ file: String) -> Bool {
    let isPlain = { (byte: UInt8) in (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) }
    guard (1...120).contains(file.utf8.count), let first = file.utf8.first, isPlain(first) else { return false }
    return file.utf8.allSatisfy { isPlain($0) || "-_.".utf8.contains($0) } && !file.hasSuffix(".tmp")
  }
}
