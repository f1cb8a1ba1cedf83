import HTTPServer
import HTTPTypes
import Hummingbird
import Publishing

/// What has been published, under `/v1/` as it lies in the publications' folder: the manifest, the roots of its
/// signature, packs, deltas, and packs in other formats.
struct PublicationsController: Sendable {
  let folder: PublicationFolder
  let files: FileAnswer
  let newest: NewestManifest

  /// `GET /v1/manifest` and `/v1/manifest.json`: the newest publication's manifest, byte for byte as it was published.
  @Sendable func manifest(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await files.answer(folder.manifestPath, freshness: .checked, to: request, context: context)
  }

  /// `GET /v1/root.json`: the newest root.
  @Sendable func newestRoot(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await files.answer("\(folder.path)/root.json", freshness: .checked, to: request, context: context)
  }

  /// `GET /v1/FOLDER/{file}`: a file whose name is never used again, so that it may be kept for ever.
  func files(in folder: String) -> @Sendable (Request, ServerRequestContext) async throws -> Response {
    { request, context in
      let file = try context.parameters.require("file")
      guard Self.isPublished(file) else { throw Problem.notFound }
      // A damaged manifest is no reason to withhold a file that is there.
      let known = try? await newest.file("\(folder)/\(file)")
      return try await files.answer(
        "\(self.folder.path)/\(folder)/\(file)", known: known, freshness: .forEver, to: request, context: context)
    }
  }

  /// Whether a file can be of a publication by its name: such names do not leave the folder, and what is still being
  /// written has another.
  static func isPublished(_ file: String) -> Bool {
    let isPlain = { (byte: UInt8) in (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) }
    guard (1...120).contains(file.utf8.count), let first = file.utf8.first, isPlain(first) else { return false }
    return file.utf8.allSatisfy { isPlain($0) || "-_.".utf8.contains($0) } && !file.hasSuffix(".tmp")
  }
}
