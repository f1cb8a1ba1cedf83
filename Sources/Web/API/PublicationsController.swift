import CallerPack
import HTTPTypes
import Hummingbird
import NIOCore
import Publishing

/// `GET /v1/manifest` and `GET /v1/packs/{file}`
struct PublicationsController: Sendable {
  let folder: PublicationFolder
  private let files = FileIO()

  init(folder: PublicationFolder) {
    self.folder = folder
  }

  /// The newest publication's manifest, byte for byte as it was published.
  @Sendable func manifest(_ request: Request, context: WebContext) async throws -> Response {
    let body = try await files.loadFile(path: folder.manifestPath, context: context)
    return Response(
      status: .ok,
      headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-cache"],
      body: body)
  }

  /// A pack, streamed. Its name is never used again, so it may be kept for ever.
  @Sendable func pack(_ request: Request, context: WebContext) async throws -> Response {
    let file = try context.parameters.require("file")
    guard PublicationFolder.serial(ofPackFile: file) != nil else { throw Problem.notFound }
    let body = try await files.loadFile(path: folder.packPath(file), context: context)
    return Response(
      status: .ok,
      headers: [
        .contentType: "application/octet-stream",
        .cacheControl: "public, max-age=31536000, immutable",
        .eTag: "\"\(file)\"",
      ],
      body: body)
  }
}
