// SPDX-License-Identifier: Apache-2.0

package import CallerPack
package import Curation
import NIOPosix
package import Publishing
package import Storage

/// The newest publication's manifest, read again only after a change.
package actor NewestManifest {
  private let folder: PublicationFolder
  private let files: OpenFiles
  private var known: (digest: PackDigest, manifest: Manifest)?
  /// The files of the manifest by path, created on first use.
  private var listed: (serial: Int64, files: [String: KnownFile])?

  package init(folder: PublicationFolder, files: OpenFiles) {
    self.folder = folder
    self.files = files
  }

  /// The manifest's entry of a file.
  /// - Parameter path: relative to the folder, such as `packs/toxic-12.rfpack`.
  /// - Returns: nil for a file that is not in the manifest.
  package func file(_ path: String) async throws -> KnownFile? {
    guard let manifest = try await manifest() else { return nil }
    if listed?.serial != manifest.serial { listed = (manifest.serial, Self.files(of: manifest)) }
    return listed?.files[path]
  }

  private static func files(of manifest: Manifest) -> [String: KnownFile] {
    var files: [String: KnownFile] = [:]
    func add(_ path: String, _ bytes: Int, _ digest: String) {
      files[path] = PackDigest(hex: digest).map { KnownFile(bytes: bytes, digest: $0) }
    }
    for pack in manifest.packs {
      add(pack.path, pack.bytes, pack.sha256)
      for delta in pack.deltas { add(delta.path, delta.bytes, delta.sha256) }
      for file in pack.formats { add(file.path, file.bytes, file.sha256) }
    }
    return files
  }

  /// - Returns: nil before the first publication.
  package func manifest() async throws -> Manifest? {
    guard let file = try await files.file(at: folder.manifestPath) else { return nil }
    if let known, known.digest == file.digest { return known.manifest }
    // Its many small parts are read on a thread that may block.
    let folder = folder
    guard let manifest = try await NIOThreadPool.singleton.runIfActive({ try folder.manifest()?.manifest }) else {
      return nil
    }
    known = (file.digest, manifest)
    return manifest
  }
}

extension NewestManifest {
  /// Adds territory and redress to an explanation with a statement of reasons.
  package func stating(_ explanation: Explanation, _ appeals: AppealStore) async throws -> Explanation {
    guard let statement = explanation.statement else { return explanation }
    var explanation = explanation
    explanation.packs = (try? await manifest())?.packs(of: explanation.number, treatment: statement.treatment) ?? []
    explanation.answerTime = try await appeals.usualAnswerTime()
    return explanation
  }
}
