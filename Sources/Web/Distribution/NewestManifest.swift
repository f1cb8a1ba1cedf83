import CallerPack
import NIOCore
import Publishing

/// The newest publication's manifest, read again only when it is another.
actor NewestManifest {
  private let folder: PublicationFolder
  private let files: OpenFiles
  private var known: (digest: PackDigest, manifest: Manifest)?

  init(folder: PublicationFolder, files: OpenFiles) {
    self.folder = folder
    self.files = files
  }

  /// - Returns: nil before the first publication.
  func manifest() async throws -> Manifest? {
    guard let file = try await files.file(at: folder.manifestPath) else { return nil }
    if let known, known.digest == file.digest { return known.manifest }
    let bytes = Array(try await files.bytes(0..<file.length, of: file).readableBytesView)
    let envelope = try Envelope(decoding: bytes, payloadType: Manifest.payloadType)
    let manifest = try Manifest(decoding: envelope.payload)
    known = (file.digest, manifest)
    return manifest
  }
}
