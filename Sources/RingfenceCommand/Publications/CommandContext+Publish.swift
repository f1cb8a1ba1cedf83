// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import Localization
import Logging
import Publishing
import Storage
import Synchronization

extension CommandContext {
  /// Creates a publisher for this context's folder.
  /// - Parameters:
  ///   - top: maximum numbers in a pack, if that is less than its recipe's limit.
  func publisher(
    _ configuration: PublicationConfiguration, top: Int = Recipe.mostEntries, logger: Logger
  ) throws -> Publisher {
    let folder = folder
    let recipes = recipeFile(named: configuration.recipes)
    // An unreadable key is reported at start instead of by the first publication.
    _ = try folder.signingKey()
    let publisher = Publisher(
      store: stores.publications, folder: publicationFolder,
      recipes: try Self.recipes(in: recipes(), top: top),
      sources: ContentSources(
        regions: { try await RegionStore.map(on: $0) },
        directory: { try await DirectoryStore.forEachEntry(at: $1, on: $0, $2) }),
      signing: { try folder.signingKey() }, policy: configuration.policy,
      protection: {
        let protected = try await ProtectionStore.load(on: $0)
        return { protected.rule(for: $0).map { $0.operatorText ?? $0.code.name } }
      }, holding: BrigadeReview(store: stores.holds), logger: logger)
    try publisher.checkRecipes()
    return publisher
  }

  /// Finds the recipe file in force. A file that is gone for a moment must not be replaced by the shipped one.
  private func recipeFile(named file: String?) -> @Sendable () throws -> String {
    let (folder, installation) = (folder, installation)
    let former = Mutex<String?>(nil)
    return {
      try former.withLock { former in
        let path = Recipe.file(named: file, data: folder.path, installation: installation)
        if let former, former != path, former.hasPrefix(folder.path) {
          throw CommandFailure.unreadable(
            "The recipes \(former) are gone. Put them back, or restart the server to use \(path).")
        }
        former = path
        return path
      }
    }
  }

  private static func recipes(in file: String, top: Int) throws -> [Recipe] {
    try Recipe.read(from: file).map { recipe in
      var recipe = recipe
      recipe.limit = min(recipe.limit, top)
      return recipe
    }
  }

  /// Publishes with a progress bar and returns the result as text.
  /// - Throws: ``CommandFailure`` with exit code 4 if a gate refuses the publication.
  func publish(
    _ request: PublicationRequest, _ configuration: PublicationConfiguration = PublicationConfiguration(),
    top: Int = Recipe.mostEntries
  ) async throws -> String {
    let publisher = try publisher(configuration, top: top, logger: .quiet)
    let texts = try installation.englishTexts()
    let meter = ProgressMeter(title: "Publishing", total: 100, unit: .items("%"), output: progressOutput())
    defer { meter.finish() }
    var request = request
    request.progress = { step, part in
      meter.update(done: UInt64(part * 100), detail: texts.message("jobs.step", step))
    }
    do {
      let manifest = try await publisher.publish(request)
      let packs = manifest.packs.map { pack in
        let delta = pack.deltas.first.map { ", \($0.bytes) from publication \($0.fromSerial)" } ?? ""
        return "  \(publicationFolder.filePath(pack.path)): \(pack.entries) numbers, \(pack.bytes) bytes\(delta)"
      }
      return (["Publication \(manifest.serial)"] + packs).joined(separator: "\n")
    } catch let error as PublishingError {
      guard case .heldBack(let gates) = error else { throw error }
      let lines = gates.closed.map { record in
        let finding = texts.message("publications.finding", record.finding)
        return "  \(record.gate)\(record.pack.isEmpty ? "" : " (\(record.pack))"): \(finding)"
      }
      let reason = texts.message("publications.failure", PublicationFailure(error))
      throw CommandFailure(description: ([reason] + lines).joined(separator: "\n"), exitCode: 4)
    }
  }
}
